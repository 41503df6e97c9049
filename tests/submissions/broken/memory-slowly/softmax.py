import numpy as np


def softmax(scores):
    kept = []
    while True:
        kept.append(np.zeros((512, 512)))
