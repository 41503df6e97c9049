from dataclasses import dataclass


@dataclass
class Matrix:
    rows: int
    columns: int

    @property
    def numbers(self):
        return self.rows * self.columns

    def times(self, T):
        return T * self.numbers


def price(T, d_model, heads, layers):
    narrow, merging = Matrix(d_model, int(d_model / heads)), Matrix(d_model, d_model)
    scores = blend = T * T * narrow.columns
    owned = 3 * heads * narrow.numbers + merging.numbers
    made = heads * (3 * narrow.times(T) + scores + blend) + merging.times(T)
    return [layers * owned, layers * made, layers * heads * 2 * T * narrow.columns]
