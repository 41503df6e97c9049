import numpy as np
import numpy.ma as ma


def _masked_softmax(z):
    e = ma.exp(z - z.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def softmax(scores):
    z = ma.masked_equal(np.asarray(scores, dtype=float), -np.inf)
    return _masked_softmax(z).filled(0.0)


def causal_mask(n):
    return ma.getmaskarray(ma.masked_greater(np.arange(n)[None, :] - np.arange(n)[:, None], 0))


def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = (ma.dot(ma.asarray(X), W) for W in (W_q, W_k, W_v))
    S = ma.dot(Q, K.T) / np.sqrt(W_k.shape[1])
    if causal:
        S = ma.array(S, mask=causal_mask(len(X)))
    A = _masked_softmax(S)
    return A.filled(0.0) @ V.filled(0.0), A.filled(0.0)
