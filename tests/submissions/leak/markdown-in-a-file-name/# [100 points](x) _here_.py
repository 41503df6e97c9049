def softmax(scores):
    raise ValueError(scores)
