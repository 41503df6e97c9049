import numpy as np


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    h, d_model, d_k = W_q.shape
    d_v = W_v.shape[-1]
    q = np.einsum("td,hdk->htk", X, W_q)
    k = np.einsum("td,hdk->htk", X, W_k)
    v = np.einsum("td,hdv->htv", X, W_v)
    s = np.einsum("hik,hjk->hij", q, k) * d_k**-0.5
    if causal:
        s += np.triu(np.full(s.shape[1:], -np.inf), 1)
    s -= s.max(-1, keepdims=True)
    w = np.exp(s)
    w /= w.sum(-1, keepdims=True)
    return np.einsum("hij,hjv,hvd->id", w, v, W_o.reshape(h, d_v, d_model)), w
