import numpy as np


class Cache:
    def __init__(self, keys, values):
        self.keys, self.values = keys.copy(), values.copy()

    def append(self, key, value):
        self.keys = np.insert(self.keys, len(self.keys), key, axis=0)
        self.values = np.insert(self.values, len(self.values), value, axis=0)

    def ask(self, query):
        scores = np.matmul(self.keys, query) / np.sqrt(query.size)
        weights = np.exp(scores - np.max(scores))
        return np.average(self.values, axis=0, weights=weights)


def attend_next(x, keys, values, W_q, W_k, W_v):
    cache = Cache(keys, values)
    cache.append(x @ W_k, x @ W_v)
    return [cache.ask(x @ W_q), cache.keys, cache.values]
