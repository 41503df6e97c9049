import numpy as np

from attention import attention


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    output, weights = 0, []
    d_v = W_v.shape[2]
    for n, (q, k, v) in enumerate(zip(W_q, W_k, W_v)):
        blend, shares = attention(X, q, k, v, causal=causal)
        output = output + blend @ W_o[n * d_v : (n + 1) * d_v]
        weights += [shares]
    return output, np.stack(weights)
