import matplotlib.pyplot as plt
import numpy as np

plt.rcParams["figure.figsize"] = (4, 4)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
