"""Draws the cases of price; their multiplications are PyTorch's."""

import random

from autograder.exercises.price.kernel import torch_multiplications
from autograder.kit.drawing import JsonCase, case, drawn, load_solution

GPT_2 = {"d_model": 768, "heads": 12, "layers": 12}


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    price = load_solution("price")

    def sizes() -> dict[str, int]:
        """A small model and a text, all of whose sizes differ, the width of a head too."""

        def made() -> dict[str, int]:
            heads, d_k = rng.randint(2, 5), rng.randint(2, 9)
            T, layers = rng.randint(3, 12), rng.randint(2, 6)
            return {"T": T, "d_model": heads * d_k, "heads": heads, "layers": layers}

        return drawn(
            made, lambda found: len({*found.values(), found["d_model"] // found["heads"]}) == 5
        )

    def owned(id: str, **found: int) -> JsonCase:
        return case(id, **found, parameters=price(**found)[0])

    models = [sizes() for _ in range(3)]
    small = [case(f"model_{i}", **found) for i, found in enumerate(models, start=1)]
    return {
        "test_attention_of_gpt_2_has_28311552_parameters": [
            owned("gpt_2", T=rng.randint(100, 1024), **GPT_2),
            owned("small", **models[0]),
        ],
        "test_length_of_the_text_owns_no_parameters": [
            {**small[1], "longer": small[1]["T"] + rng.randint(1, 9)}
        ],
        "test_multiplications_are_those_that_pytorch_counts": [
            {**one, "multiplications": torch_multiplications(**found)}
            for one, found in zip(small, models, strict=True)
        ],
        "test_twice_the_words_cost_more_than_twice": small[:2],
        "test_cache_grows_by_2_d_model_per_word_and_layer": small[1:],
        "test_whole_numbers_come_back": small,
    }


def random_arguments(rng: random.Random) -> tuple[int, int, int, int]:
    """A text and a model."""
    heads = rng.randint(1, 5)
    return rng.randint(1, 12), heads * rng.randint(1, 9), heads, rng.randint(1, 6)
