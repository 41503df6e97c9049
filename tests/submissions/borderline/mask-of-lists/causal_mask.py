def causal_mask(n):
    return [[j > i for j in range(n)] for i in range(n)]
