"""The exam's 18 questions. Each is a function of a random generator: same generator, same question.

A wrong option stands for a misconception that people have; where the catalogue of wild
submissions has a name for it, that name is used.
"""

import random
from collections.abc import Sequence

from autograder.exam.own import OwnQuestion, mixed
from autograder.exam.question import Option, Question, dealt_letters, with_right_letter
from autograder.exercises.exam import module0, module1, module2, module3

__all__ = ["QUESTIONS", "Option", "Question", "draw_exam"]

QUESTIONS = (
    module0.three_way_softmax,
    module0.changed_scores,
    module0.large_scores,
    module1.blend,
    module1.largest_weight,
    module1.word_order,
    module2.one_change,
    module2.directed_score,
    module2.sizes,
    module2.other_spread,
    module2.pencil_head,
    module3.masks,
    module3.zero_scores,
    module3.training,
    module3.reach,
    module3.attention_parameters,
    module3.kv_cache,
    module3.position,
)


def draw_exam(rng: random.Random, own: Sequence[OwnQuestion] = ()) -> tuple[Question, ...]:
    """One variant of the exam; q01 to q18 are its questions in this order.

    own are questions of the course, one of which is drawn in the place that it is written for.
    """
    seed = rng.randint(0, 2**128 - 1)
    # A stream of its own for each, so that editing one question leaves the others as drawn.
    drawn = [question(random.Random(f"{seed}/{question.__name__}")) for question in QUESTIONS]
    drawn = mixed(random.Random(f"{seed}/own"), drawn, own)
    choices = sum(question.kind == "choice" for question in drawn)
    letters = iter(dealt_letters(random.Random(f"{seed}/letters"), choices))
    return tuple(
        with_right_letter(question, next(letters)) if question.kind == "choice" else question
        for question in drawn
    )
