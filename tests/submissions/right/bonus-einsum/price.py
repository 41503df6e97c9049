def price(T, d_model, heads, layers):
    """The heads share d_model out, so that their number cancels."""
    return (
        4 * layers * d_model**2,
        layers * (4 * T * d_model**2 + 2 * T**2 * d_model),
        2 * layers * T * d_model,
    )
