import numpy as np


def causal_mask(n):
    import re

    return re.match(r"(a|a)*$", "a" * 60 + "b")
