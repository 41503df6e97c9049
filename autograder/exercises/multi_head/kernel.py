"""PyTorch's multi_head_attention_forward as one function."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def torch_heads(
    X: FloatArray,
    W_q: FloatArray,
    W_k: FloatArray,
    W_v: FloatArray,
    W_o: FloatArray,
    *,
    causal: bool,
) -> tuple[FloatArray, FloatArray]:
    """Output (T, d_model) and weights (h, T, T) in float64, where h d_k = h d_v = d_model.

    Raises ImportError where torch is not installed (the `kernel` extra).
    """
    import torch

    count, d_model = W_q.shape[:2]
    # PyTorch keeps the matrices of all heads beside each other, and multiplies by their transposes.
    side_by_side = [W.transpose(1, 0, 2).reshape(d_model, d_model).T for W in (W_q, W_k, W_v)]
    words = torch.from_numpy(X)
    mask = torch.ones(len(X), len(X), dtype=torch.bool).triu(1) if causal else None
    output, weights = torch.nn.functional.multi_head_attention_forward(
        words,
        words,
        words,
        embed_dim_to_check=d_model,
        num_heads=count,
        in_proj_weight=torch.from_numpy(np.concatenate(side_by_side)),
        in_proj_bias=None,
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=torch.from_numpy(np.ascontiguousarray(W_o.T)),
        out_proj_bias=None,
        attn_mask=mask,
        average_attn_weights=False,
    )
    assert weights is not None
    return output.numpy(), weights.numpy()
