import numpy as np
import torch


def softmax(scores):
    return torch.softmax(torch.tensor(np.asarray(scores, dtype=float)), dim=1).numpy()
