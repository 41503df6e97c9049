"""PyTorch's count of the multiplications of attention, as one function."""


def torch_multiplications(T: int, d_model: int, heads: int, layers: int) -> int:
    """Half of what torch.utils.flop_counter counts: a multiplication and an addition are two.

    Raises ImportError where torch is not installed (the `kernel` extra).
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    words, merge = torch.zeros(T, d_model), torch.zeros(d_model, d_model)
    project = torch.zeros(heads, d_model, d_model // heads)
    counter = FlopCounterMode(display=False)
    with counter:
        for _ in range(layers):
            queries, keys, values = (words @ project for _ in range(3))
            outputs = queries @ keys.transpose(1, 2) @ values
            outputs.transpose(0, 1).reshape(T, d_model) @ merge
    return int(counter.get_total_flops()) // 2
