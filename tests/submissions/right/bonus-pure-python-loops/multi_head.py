import math

import numpy as np


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    T, h = len(X), len(W_q)
    d_v = W_v.shape[2]
    rows = [[] for _ in range(T)]
    tables = []
    for n in range(h):
        Q, K, V = X @ W_q[n], X @ W_k[n], X @ W_v[n]
        table = []
        for i in range(T):
            seen = range(i + 1) if causal else range(T)
            scores = [float(sum(Q[i] * K[j])) / math.sqrt(len(K[j])) for j in seen]
            top = max(scores)
            shares = [math.exp(s - top) for s in scores]
            total = sum(shares)
            row = [share / total for share in shares] + [0.0] * (T - len(shares))
            table.append(row)
            for c in range(d_v):
                rows[i].append(sum(row[j] * V[j][c] for j in range(T)))
        tables.append(table)
    return np.array(rows) @ W_o, np.array(tables)
