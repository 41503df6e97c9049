"""PyTorch's fused kernel as one function."""

import numpy as np
from numpy.typing import NDArray


def fused_attention(
    X: NDArray[np.float64],
    W_q: NDArray[np.float64],
    W_k: NDArray[np.float64],
    W_v: NDArray[np.float64],
    *,
    causal: bool,
) -> NDArray[np.float64]:
    """The output (T, d_v) of scaled_dot_product_attention in float64.

    Raises ImportError where torch is not installed (the `kernel` extra).
    """
    import torch

    queries, keys, values = (torch.from_numpy(X @ W) for W in (W_q, W_k, W_v))
    attend = torch.nn.functional.scaled_dot_product_attention
    output: NDArray[np.float64] = attend(queries, keys, values, is_causal=causal).numpy()
    return output
