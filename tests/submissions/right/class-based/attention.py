import numpy as np


class Softmax:
    def __init__(self, axis):
        self.axis = axis

    def __call__(self, scores):
        scores = np.asarray(scores, dtype=np.float64)
        shifted = scores - scores.max(axis=self.axis, keepdims=True)
        return np.exp(shifted) / np.exp(shifted).sum(axis=self.axis, keepdims=True)


class SelfAttention:
    softmax = Softmax(axis=-1)

    def __init__(self, W_q, W_k, W_v):
        self.W_q, self.W_k, self.W_v = W_q, W_k, W_v

    @staticmethod
    def mask(n):
        return np.logical_not(np.tril(np.ones((n, n))))

    def forward(self, X, causal):
        self.Q, self.K, self.V = X @ self.W_q, X @ self.W_k, X @ self.W_v
        scores = self.Q @ self.K.T / np.sqrt(self.K.shape[-1])
        if causal:
            np.putmask(scores, self.mask(len(X)), -np.inf)
        self.weights = self.softmax(scores)
        return self.weights @ self.V


softmax = SelfAttention.softmax
causal_mask = SelfAttention.mask


def attention(X, W_q, W_k, W_v, causal=False):
    head = SelfAttention(W_q, W_k, W_v)
    return head.forward(X, causal), head.weights
