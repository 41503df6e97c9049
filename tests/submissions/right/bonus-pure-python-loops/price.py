def price(T, d_model, heads, layers):
    width = d_model // heads
    owned = computed = kept = 0
    for layer in range(layers):
        for head in range(heads):
            for matrix in ("W_q", "W_k", "W_v"):
                owned += d_model * width
                computed += T * d_model * width
            computed += T * width * T  # scores
            computed += T * T * width  # outputs
            kept += 2 * T * width
        owned += d_model * d_model
        computed += T * d_model * d_model
    return owned, computed, kept
