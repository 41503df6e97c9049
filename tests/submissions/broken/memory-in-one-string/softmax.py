import numpy as np


def softmax(scores):
    return "%999999999999d" % 1
