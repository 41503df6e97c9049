"""The pages of assignments/: every number on them is computed here, and none gives code away."""

import re
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring.pictures import PICTURES, pictures
from autograder.exercises.captured_log.workshop import LOG
from autograder.kit.drawing import load_solution

CHECKOUT = Path(__file__).parent.parent
ASSIGNMENTS, SOLUTIONS = CHECKOUT / "assignments", CHECKOUT / "solutions"
EXERCISES = ("softmax", "causal_mask", "attention")
softmax = load_solution("softmax")
causal_mask = load_solution("causal_mask")
attention = load_solution("attention")

PENCIL = np.array([[0, 1, 2], [2, 2, -np.inf]])
SPREAD = np.array([[0, 0.5, 1], [0, 5, 10]])
HEAD = (
    np.array([[1, 0], [1, 1]]),
    np.array([[1, 0, 1, 0], [0, 1, 0, 1]]),
    np.array([[1, 1, 0, 0], [1, -1, 1, -1]]),
    np.array([[1, 0, 2], [0, 4, -2]]),
)
THREE = np.array([[2, 1, 1], [1, 3, 4], [1, 1, 2]])  # e^score of the three words
VALUES = np.array([[8, 0], [0, 4], [4, 4]])


def text(name):
    return (ASSIGNMENTS / f"{name}.md").read_text(encoding="utf-8")


def shown(array, decimals):
    return {f"{value:.{decimals}f}" for value in np.ravel(array)}


def short(values):
    return ", ".join(f"{value:g}" for value in values)


def matrix(page, name):
    """The integer matrix that a page prints after a name and an = sign, over several lines."""
    lines = page.splitlines()
    start = next(row for row, line in enumerate(lines) if f"{name} = [[" in line)
    column = lines[start].index(f"{name} = [[") + len(name) + 3
    rows = []
    for line in lines[start:]:
        found = re.match(r"\[?\s*\[([^\]]*)\]", line[column:])
        if not found:
            break
        rows.append([float(cell) for cell in found[1].split(",")])
        if line[column:].strip().startswith("[") and "]]" in line[column:][: found.end() + 1]:
            break
    return np.array(rows)


# --- softmax ----------------------------------------------------------------------------------


def test_softmax_pencil_example():
    page, weights = text("softmax"), softmax(PENCIL)
    exponentials = np.exp(PENCIL)
    for row in (0, 1):
        cells = " | ".join(f"{value:.3f}" if value else "0" for value in exponentials[row])
        assert f"| e^score | {cells} | {exponentials[row].sum():.3f} |" in page
        bold = " | ".join(f"**{value:.3f}**" if value else "**0**" for value in weights[row])
        assert f"| **weights** | {bold} | **1** |" in page


def test_softmax_broadcasting_on_paper():
    page = text("softmax")
    table, column = np.array([[10, 20, 30], [40, 50, 60]]), np.array([[1], [2]])
    result = table - column
    for row in (0, 1):
        cells = ", ".join(f"{value:2d}" for value in result[row])
        assert f"[{cells}]" in page
        assert ", ".join(map(str, table[row])) in page
    assert (table - np.zeros(3)).shape == (2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        table - np.zeros(2)
    assert (np.zeros((3, 3)) - np.arange(3))[0].tolist() == [0, -1, -2]


def test_every_decimal_of_softmax():
    wanted = shown(softmax(PENCIL), 3) | shown(np.exp(PENCIL), 3) | shown(softmax(SPREAD), 3)
    wanted |= shown(np.exp(PENCIL).sum(axis=1), 3) | {"0.0", "1000.0", "0.5", "0.25"}
    assert decimals(text("softmax")) <= wanted


def decimals(page):
    return set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\()", page))


# --- causal_mask ------------------------------------------------------------------------------


def test_causal_mask_table():
    page, mask = text("causal_mask"), causal_mask(3)
    printed = str(mask).replace("\n", "\n    ")
    assert f"    {printed}" in page
    for i in range(3):
        cells = " | ".join(f"{j} > {i}? {bool(mask[i, j])}" for j in range(3))
        assert f"(i = {i}) | {cells} |" in page
    assert decimals(page) == set()


# --- attention --------------------------------------------------------------------------------


def test_attention_pencil_example():
    page = text("attention")
    X, W_q, W_k, W_v = HEAD
    for name, array in (("X", X), ("W_q", W_q), ("W_k", W_k), ("W_v", W_v)):
        np.testing.assert_array_equal(matrix(page, name), array)
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    for name, array in (("Q", Q), ("K", K)):
        np.testing.assert_array_equal(matrix(page, name), array)
    np.testing.assert_array_equal(matrix(page, "scores"), Q @ K.T / 2)
    for row in Q @ K.T:
        assert f"[{short(row)}]" in page
    output, weights = attention(*HEAD)
    for row in range(2):
        # By hand, with the weights as they are printed: that is what a student can follow.
        by_hand = np.round(weights[row], 3) @ V
        assert f"= [{short(by_hand)}]" in page
        np.testing.assert_allclose(by_hand, output[row], atol=1e-3)
    masked, seen = attention(*HEAD, causal=True)
    assert seen[0].tolist() == [1, 0]
    assert f"its output is [{short(masked[0])}]" in page


def test_attention_three_words_with_the_mask():
    page = text("attention")
    scores = np.log(THREE)
    hidden = np.where(causal_mask(3), -np.inf, scores)
    plain, masked = softmax(scores), softmax(hidden)
    for row in range(3):
        cells = [THREE[row], plain[row], np.round(np.exp(hidden[row]), 9), masked[row]]
        told = " | ".join(", ".join(f"{round(value, 9):g}" for value in cell) for cell in cells)
        assert f"| {row} | {told} |" in page
        assert f"[{short(np.round(masked[row] @ VALUES, 9))}]" in page.split("The outputs are")[1]
        logs = ["0" if value == 1 else f"ln {value}" for value in THREE[row]]
        assert f"[{', '.join(f'{log:>4}' for log in logs)}]" in page
        assert f"[{short(VALUES[row])}]" in page
    # The telling row: its visible words keep their ratio and share the whole row.
    assert masked[1, 1] / masked[1, 0] == pytest.approx(plain[1, 1] / plain[1, 0]) == 3
    assert plain[1, 2] == pytest.approx(0.5)


def printed():
    return attention(LOG.embeddings, LOG.W_q, LOG.W_k, np.eye(4), causal=True)[1]


def test_attention_prints_the_table_of_the_log():
    page = text("attention")
    for word, row in zip(LOG.sentence, printed(), strict=True):
        cells = "".join(f"{value:8.3f}" for value in row)
        assert f"    {word:<7}{cells}" in page
    np.testing.assert_array_equal(np.round(printed(), 3), LOG.printed_weights)


def test_every_decimal_of_attention():
    X, W_q, W_k, W_v = HEAD
    scores = (X @ W_q) @ (X @ W_k).T / 2
    output, weights = attention(*HEAD)
    wanted = shown(weights, 3) | shown(output, 3) | shown(scores, 1) | shown(printed(), 3)
    wanted |= shown(np.exp(scores[0]), 4) | shown([np.exp(scores[0]).sum()], 4)
    wanted |= shown(np.round(weights, 3) @ (X @ W_v), 3)
    wanted |= {f"{value:g}" for value in np.ravel(softmax(np.log(THREE)))}
    wanted |= {f"{value:g}" for value in np.round(THREE / THREE.sum(axis=1, keepdims=True), 9).flat}
    wanted |= {"0.0", "1.000000", "0.75"}
    assert decimals(text("attention")) <= wanted
    assert f"3 x 768 x 64 = {3 * 768 * 64:,}" in text("attention")


# --- all pages --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_has_time_picture_hints_and_questions(name):
    page = text(name)
    assert "**Time:**" in page
    assert "**Difficulty:**" in page
    links = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert links
    assert all((ASSIGNMENTS / link).is_file() for link in links)
    assert [*re.findall(r"<summary>(Hint \d): a?n? ?(?:the )?(\w+)", page)] == [
        ("Hint 1", "question"),
        ("Hint 2", "idea"),
        ("Hint 3", "formula"),
    ]
    assert page.count("<details>") == page.count("</details>") == 3
    assert "## Before you hand in" in page


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_never_gives_the_code_away(name):
    """No statement of a solution, and no call of NumPy but the one that a question asks about."""
    squeezed = re.sub(r"\s", "", text(name))
    for line in (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8").splitlines():
        code = re.sub(r"\s", "", line)
        signature = code.startswith(("def", "import", "from", "#", '"""'))
        if "=" in code and not signature:
            assert code not in squeezed
    assert set(re.findall(r"np\.\w+\(", text(name))) <= {"np.exp("}


def test_pictures_are_those_that_the_rooms_draw():
    drawn = pictures()
    assert {path.stem for path in PICTURES.glob("*.svg")} == {*drawn}
    for name, svg in drawn.items():
        assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == svg
        assert "<title" in svg
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_what_a_picture_says_is_said_on_the_page():
    page, weights = text("softmax"), softmax(SPREAD)
    for row in weights:
        assert ", ".join(f"{value:.3f}" for value in row) in page
