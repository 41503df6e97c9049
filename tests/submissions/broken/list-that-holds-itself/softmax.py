import numpy as np


def softmax(scores):
    held = []
    held.append(held)
    return held
