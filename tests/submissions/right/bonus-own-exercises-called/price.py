def price(T, d_model, heads, layers):
    d_k, rest = divmod(d_model, heads)
    assert rest == 0
    per_head = {
        "owned": 3 * d_model * d_k,
        "computed": 3 * T * d_model * d_k + 2 * T * T * d_k,
        "kept": 2 * T * d_k,
    }
    per_layer = {name: heads * count for name, count in per_head.items()}
    per_layer["owned"] += d_model**2
    per_layer["computed"] += T * d_model**2
    return tuple(layers * count for count in per_layer.values())
