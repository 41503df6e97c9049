"""200 variants of the exam, each held against an independent computation from its wording."""

import random
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from autograder.exercises.exam.bank import QUESTIONS, Question, draw_exam

ASSIGNMENTS = Path(__file__).parents[1] / "assignments"
SEEDS = range(200)
EXAMS = [draw_exam(random.Random(seed)) for seed in SEEDS]
BY_NAME = {
    function.__name__: [exam[position] for exam in EXAMS]
    for position, function in enumerate(QUESTIONS)
}
CHOICES = [name for name, variants in BY_NAME.items() if variants[0].kind == "choice"]
EVERY = [question for exam in EXAMS for question in exam]


def row_of(text: str) -> list[float]:
    """A printed row, fractions and nan included."""
    return [
        float("nan") if item == "nan" else float(Fraction(item)) for item in text[1:-1].split(", ")
    ]


def rows_in(wording: str) -> list[list[float]]:
    return [row_of(row) for row in re.findall(r"\[[-\d., ]+\]", wording)]


def integers(wording: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"-?\d+", wording)]


def quoted(wording: str) -> list[str]:
    return re.findall(r'"([^"]+)"', wording)


def softmax(scores) -> np.ndarray:
    with np.errstate(all="ignore"):
        powers = np.exp(np.array(scores, dtype=float) - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def right_option(question: Question) -> str:
    return question.options["abcd".index(question.answer)].text


# --- the form of every variant ---------------------------------------------------------------


def test_an_exam_has_18_questions_in_the_order_of_the_modules():
    for exam in EXAMS:
        modules = [question.module for question in exam]
        assert len(exam) == 18
        assert modules == sorted(modules)
        assert set(modules) == {0, 1, 2, 3}
        assert [question.title for question in exam] == [question.title for question in EXAMS[0]]


def test_titles_are_different():
    assert len({question.title for question in EXAMS[0]}) == 18


def test_the_mix_of_kinds():
    kinds = [question.kind for question in EXAMS[0]]
    assert {kind: kinds.count(kind) for kind in kinds} == {"choice": 10, "number": 7, "text": 1}


def test_each_kind_has_what_it_needs():
    for question in EVERY:
        assert question.explanation
        if question.kind == "choice":
            assert len(question.options) == 4
            assert question.accepted == ()
            right = [o.misconception is None for o in question.options]
            assert right.count(True) == 1
            assert "abcd"[right.index(True)] == question.answer
            assert len({o.misconception for o in question.options}) == 4
            assert len({o.text.strip().lower() for o in question.options}) == 4
        else:
            assert question.options == ()
        if question.kind == "number":
            assert question.accepted == ()
            assert str(Fraction(question.answer)) == question.answer
        if question.kind == "text":
            assert question.answer in question.accepted
            assert all(text == text.strip().lower() for text in question.accepted)


def test_the_wording_names_the_form_of_the_answer():
    for question in EVERY:
        form = question.wording.rpartition("\n\nAnswer: ")[2]
        value = question.answer
        if question.kind == "choice":
            assert form == "one letter."
        elif question.kind == "text":
            assert form == "one word."
        elif form == "a whole number.":
            assert re.fullmatch(r"\d+", value)
        else:
            assert form == "a fraction or an exact decimal."
            # Someone who writes a decimal has a short one that is exact.
            assert (Fraction(value) * 10_000).denominator == 1


def test_no_wrong_option_has_the_value_of_the_right_one():
    for question in EVERY:
        texts = [option.text for option in question.options]
        if question.kind != "choice" or not all(text.startswith("[") for text in texts):
            continue
        right = row_of(right_option(question))
        same = [text for text in texts if np.allclose(row_of(text), right)]
        assert same == [right_option(question)]


def test_the_right_option_does_not_stand_out_by_its_length():
    for exam in EXAMS:
        longest = shortest = 0
        for question in exam:
            if question.kind == "choice" and not question.options[0].text.startswith("["):
                lengths = [len(option.text) for option in question.options]
                right = len(right_option(question))
                assert max(lengths) <= 1.35 * min(lengths), question.title
                longest += right == max(lengths)
                shortest += right == min(lengths)
        # Neither 'take the longest' nor 'never take the longest' is a way to pass.
        assert 1 <= longest <= 5
        assert shortest <= 4


def test_nothing_speaks_of_the_key_of_the_exam():
    for question in EVERY:
        for text in (question.wording, *(option.text for option in question.options)):
            assert not re.search(r"answer key|solution|misconception|exam|seed", text.lower())


def test_sections_are_headings_of_the_assignments():
    for question in EXAMS[0]:
        page, heading = re.fullmatch(r"assignments/(\w+\.md), (.+)", question.section).groups()
        lines = (ASSIGNMENTS / page).read_text(encoding="utf-8").splitlines()
        assert heading in {line.lstrip("#").strip() for line in lines if line.startswith("#")}


def test_the_pages_use_other_examples():
    """No sentence and no row of numbers of an exam stands on the page that teaches it."""
    page = " ".join((ASSIGNMENTS / "modules.md").read_text(encoding="utf-8").split())
    for question in EVERY:
        for text in quoted(question.wording):
            assert " " not in text or f'"{text}"' not in page
        for text in re.findall(r"\[[^\]]+\]", question.wording):
            assert len(text.split()) == 2 or text not in page


# --- what varies -----------------------------------------------------------------------------


def test_one_seed_gives_one_exam():
    for seed in (0, 7, 199):
        assert draw_exam(random.Random(seed)) == EXAMS[seed]


def test_most_questions_ask_something_else_with_another_seed():
    variants = {name: len({q.wording for q in drawn}) for name, drawn in BY_NAME.items()}
    assert sum(count >= 5 for count in variants.values()) >= 14
    assert min(variants.values()) >= 3


def test_no_letter_is_right_more_often_than_it_has_to_be():
    dealt = []
    for exam in EXAMS:
        letters = [question.answer for question in exam if question.kind == "choice"]
        assert sorted(letters.count(letter) for letter in "abcd") == [2, 2, 3, 3]
        dealt.append("".join(letters))
    assert len(set(dealt)) > 190


@pytest.mark.parametrize("name", CHOICES)
def test_every_letter_is_right_now_and_then(name):
    letters = [question.answer for question in BY_NAME[name]]
    assert {letter: letters.count(letter) > 25 for letter in "abcd"} == dict.fromkeys("abcd", True)


# --- every answer, computed again ------------------------------------------------------------


def embedding_lookup(question):
    _, width = integers(question.wording)
    table = np.zeros((100, width))
    words = quoted(question.wording)[0].split()
    vocabulary = sorted(set(words))
    assert len(vocabulary) < len(words)
    return table[[vocabulary.index(word) for word in words]].size


def two_way_softmax(question):
    row = re.search(r"\[(.+)\]", question.wording).group(1).split(", ")
    scores = [0.0 if score == "0" else np.log(int(score[3:])) for score in row]
    asked = re.search(r"to the score (ln \d+)\?", question.wording).group(1)
    return softmax(scores)[row.index(asked)]


def blend(question):
    cells = re.findall(r"^\| \w+ \| (\S+) \| \[(\d+), (\d+)\] \|$", question.wording, re.M)
    assert len(cells) == 3
    weights = [None if weight == "?" else float(Fraction(weight)) for weight, *_ in cells]
    weights[weights.index(None)] = 1 - sum(weight for weight in weights if weight is not None)
    vectors = np.array([[int(x), int(y)] for _, x, y in cells])
    asked = re.search(r"What is the (\w+ number \(on the \w+\))\?", question.wording).group(1)
    places = ("first number (on the left)", "second number (on the right)")
    return (weights @ vectors)[places.index(asked)]


def scaled_score(question):
    shapes = [[int(n) for n in s] for s in re.findall(r"\((\d+), (\d+)\)", question.wording)]
    product = int(re.search(r"a key is (\d+)\.", question.wording).group(1))
    (words, d_model), (rows, d_k), (_, d_v) = shapes
    assert rows == d_model
    mistakes = [product, product / d_k, product * d_k**0.5]
    for size in (words, d_model, d_v):
        mistakes += [product / size, product / size**0.5]
    right = product / d_k**0.5
    assert right not in mistakes
    # That a whole number is asked for gives none of the likely wrong scales away.
    likely = [product / d_k, *(product / size**0.5 for size in (words, d_model, d_v))]
    assert all(mistake.is_integer() for mistake in likely)
    return right


def zero_scores(question):
    text = question.wording
    words = int(re.search(r"has (\d+) words", text).group(1))
    last = int(re.search(r"In row (\d+)", text).group(1))
    visible = [np.log(int(n)) for n in re.findall(r"ln (\d+)", text)]
    assert len(visible) == last + 1
    weights = softmax(visible + [0.0] * (words - last - 1))
    later = weights[last + 1 :].sum()
    assert later not in (0, (words - last - 1) / words, weights[-1], 1 - later)
    return later


def attention_parameters(question):
    d_model, layers, width = integers(question.wording)
    joined = 0
    matrices = []
    while joined < d_model:
        matrices += [np.empty((d_model, width))] * 3
        joined += width
    assert joined == d_model
    assert len(matrices) // 3 not in (layers, width)
    matrices.append(np.empty((joined, d_model)))
    layer = sum(matrix.size for matrix in matrices)
    mistakes = (layer, layers * (layer - d_model**2), layers * (3 * d_model * width + d_model**2))
    assert layers * layer not in mistakes
    return layers * layer


def kv_cache(question):
    prompt, more, runs = integers(question.wording)
    assert runs == more + 1
    computed = kept = 0
    cache = set()
    for length in range(prompt, prompt + more + 1):
        for word in range(length):
            computed += 1
            kept += word not in cache
            cache.add(word)
    assert computed - kept not in (computed, kept, 2 * (computed - kept), prompt * more)
    return computed - kept


NUMBERS = (
    embedding_lookup,
    two_way_softmax,
    blend,
    scaled_score,
    zero_scores,
    attention_parameters,
    kv_cache,
)


def test_every_number_is_computed_again():
    names = [name for name, drawn in BY_NAME.items() if drawn[0].kind == "number"]
    assert [function.__name__ for function in NUMBERS] == names


@pytest.mark.parametrize("compute", NUMBERS, ids=lambda function: function.__name__)
def test_numbers_are_right(compute):
    for question in BY_NAME[compute.__name__]:
        assert float(Fraction(question.answer)) == pytest.approx(compute(question), rel=1e-9)


def test_largest_weight_is_right():
    for question in BY_NAME["largest_weight"]:
        cells = re.findall(r"^\| (\w+) \| \[(\d+), (\d+)\] \|$", question.wording, re.M)
        names = [name for name, *_ in cells]
        X = np.array([[int(x), int(y)] for _, x, y in cells])
        looks = re.search(r"looks is (\w+),", question.wording).group(1)
        weights = softmax(X @ X.T)[names.index(looks)]
        first, second = np.sort(weights)[::-1][:2]
        assert first > second
        assert names[weights.argmax()] == question.answer != looks


def test_same_weights_is_right():
    for question in BY_NAME["same_weights"]:
        asked = softmax(rows_in(question.wording)[0])
        same = [np.allclose(softmax(row_of(o.text)), asked) for o in question.options]
        assert [o.misconception is None for o in question.options] == same


def test_large_scores_is_right():
    """Each change is carried out on the two rows; only the right one gives the weights."""
    changes = {
        None: lambda x: np.exp(x - x.max(axis=1, keepdims=True)),
        "global_max_underflow": lambda x: np.exp(x - x.max()),
        "max_outside_exp": lambda x: np.exp(x) - x.max(axis=1, keepdims=True),
        "clips_instead_of_shifting": lambda x: np.exp(np.clip(x, -700, 700)),
    }
    for question in BY_NAME["large_scores"]:
        table = np.array(rows_in(question.wording))
        for option in question.options:
            with np.errstate(all="ignore"):
                powers = changes[option.misconception](table)
                weights = powers / powers.sum(axis=1, keepdims=True)
                plain = np.exp(table) / np.exp(table).sum(axis=1, keepdims=True)
            assert np.isnan(plain).any(axis=1).all()
            assert np.allclose(weights, softmax(table)) == (option.misconception is None)


def test_word_order_is_right():
    rng = np.random.default_rng(0)
    for question in BY_NAME["word_order"]:
        before, after, word = quoted(question.wording)
        one, other = before.split(), after.split()
        assert sorted(one) == sorted(other)
        assert one.index(word) != other.index(word)
        embedding = {name: rng.standard_normal(4) for name in one}
        outputs = []
        for words in (one, other):
            X = np.array([embedding[name] for name in words])
            outputs.append((softmax(X @ X.T) @ X)[words.index(word)])
        assert np.allclose(*outputs)
        assert right_option(question).startswith("It is the same vector")


def test_three_roles_is_right():
    for question in BY_NAME["three_roles"]:
        sentence, one, other, again = quoted(question.wording)
        assert {one, other} <= set(sentence.split())
        assert one == again != other
        score, mixed = right_option(question).split(". ")
        assert score == f'Score: query of "{one}", key of "{other}"'
        assert mixed == f'Mixed in: the value of "{other}".'


def test_longer_queries_is_right():
    rng = np.random.default_rng(0)
    measured = {}
    for question in BY_NAME["longer_queries"]:
        sizes = tuple(int(n) for n in re.findall(r"d_k = (\d+)", question.wording))
        if sizes not in measured:
            draws = [rng.standard_normal((2, 20_000, size)) for size in sizes]
            scores = [(q * k).sum(axis=1).reshape(-1, 5) for q, k in draws]
            top = [softmax(rows).max(axis=1).mean() for rows in scores]
            measured[sizes] = scores[1].std() / scores[0].std(), top[1] - top[0]
        ratio, more = measured[sizes]
        assert more > 0.01
        right = right_option(question)
        root = int(re.search(r"deviation of B's scores is (\d+) times A's", right).group(1))
        assert root == pytest.approx(ratio, rel=0.05)
        assert "B's rows lean more" in right


def test_first_row_is_right():
    rng = np.random.default_rng(0)
    for question in BY_NAME["first_row"]:
        words = quoted(question.wording)[0].split()
        for size in (0.1, 1, 100):
            scores = size * rng.standard_normal((len(words), len(words)))
            scores[np.triu_indices(len(words), k=1)] = -np.inf
            assert softmax(scores)[0].tolist() == [1] + [0] * (len(words) - 1)
        assert right_option(question).startswith(f'It is 1 on "{words[0]}" and 0 on the others')


def test_zeroed_afterwards_is_right():
    rng = np.random.default_rng(0)
    for question in BY_NAME["zeroed_afterwards"]:
        count = integers(question.wording)[0]
        weights = np.tril(softmax(rng.uniform(-2, 2, (count, count))))
        (whole,) = np.flatnonzero(np.isclose(weights.sum(axis=1), 1))
        assert right_option(question).startswith(f"Row {whole} alone,")


def test_weak_fill_is_right():
    for question in BY_NAME["weak_fill"]:
        text = question.wording
        count = int(re.search(r"has (\d+) words", text).group(1))
        row = int(re.search(r"In row (\d+)", text).group(1))
        score = int(re.search(r"every visible score is (-\d+)", text).group(1))
        fill = int(re.search(r"writing (-\d+)", text).group(1))
        assert -1e4 <= score < fill - 800
        weights = softmax([score] * (row + 1) + [fill] * (count - row - 1))
        assert np.allclose(row_of(right_option(question)), weights)


def test_agreement_is_right():
    epsilon = np.finfo(np.float64).eps
    for question in BY_NAME["agreement"]:
        largest = float(re.search(r"\d\.\d+e-\d+", question.wording).group())
        assert 0.99 * epsilon < largest < 4 * epsilon
        assert "same function, with the arithmetic in another order" in right_option(question)


def test_other_half_is_right():
    rng = np.random.default_rng(0)
    W_in, W_out = rng.standard_normal((4, 16)), rng.standard_normal((16, 4))
    for question in BY_NAME["other_half"]:
        sentence, word = quoted(question.wording)
        words = sentence.split()
        assert word in words[1:-1]
        assert word != "that"
        before = rng.standard_normal((len(words), 4))
        after = before.copy()
        after[words.index(word)] += 1
        outputs = [np.maximum(vectors @ W_in, 0) @ W_out for vectors in (before, after)]
        changed = np.flatnonzero(np.abs(outputs[0] - outputs[1]).max(axis=1) > 1e-9)
        assert [words[i] for i in changed] == [word]
        assert right_option(question).startswith(f'That of "{word}" alone')
