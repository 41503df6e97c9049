def price(T, d_model, heads, layers):
    d_k = d_model // heads
    parameters = layers * (heads * 3 * d_model * d_k + d_model * d_model)
    one_head = 3 * T * d_model * d_k + 2 * T * d_k
    multiplications = layers * (heads * one_head + T * d_model * d_model)
    cache = layers * heads * 2 * T * d_k
    return parameters, multiplications, cache
