from collections import namedtuple

import numpy as np

Heads = namedtuple("Heads", "output weights")


class Head:
    def __init__(self, W_q, W_k, W_v):
        self.W_q, self.W_k, self.W_v = W_q, W_k, W_v

    def weights(self, X, causal):
        scores = (X @ self.W_q) @ (X @ self.W_k).T / np.sqrt(self.W_k.shape[1])
        if causal:
            scores = np.ma.array(scores, mask=np.triu(np.ones_like(scores), 1)).filled(-np.inf)
        shares = np.exp(scores - scores.max(axis=1)[:, None])
        return shares / shares.sum(axis=1)[:, None]

    def __call__(self, X, causal):
        weights = self.weights(X, causal)
        return weights @ (X @ self.W_v), weights


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    heads = [Head(*matrices)(X, causal) for matrices in zip(W_q, W_k, W_v)]
    side_by_side = np.hstack([output for output, _ in heads])
    return Heads(side_by_side.dot(W_o), np.asarray([weights for _, weights in heads]))
