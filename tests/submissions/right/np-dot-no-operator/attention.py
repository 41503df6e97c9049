import numpy as np


def softmax(scores):
    e = np.exp(np.subtract(scores, np.amax(scores, axis=1, keepdims=True)))
    return np.divide(e, np.dot(e, np.ones((np.size(e, 1), 1))))


def causal_mask(n):
    return np.not_equal(np.triu(np.ones((n, n)), 1), 0)


def attention(X, W_q, W_k, W_v, causal=False):
    Q = np.dot(X, W_q)
    K = np.dot(X, W_k)
    V = np.dot(X, W_v)
    scores = np.divide(np.dot(Q, np.transpose(K)), np.sqrt(np.size(K, 1)))
    if causal:
        scores = np.ma.masked_array(scores, causal_mask(np.size(X, 0))).filled(-np.inf)
    weights = softmax(scores)
    return np.dot(weights, V), weights
