"""The bonus exercises: their mistakes, their pages, and that they take nothing from the core."""

import re
import shutil

import numpy as np
import pytest

from autograder.authoring.pictures import pictures
from autograder.exercises import registry
from autograder.exercises.captured_log.workshop import LOG
from autograder.exercises.price.draws import GPT_2
from autograder.judging.grading import grade
from autograder.kit.cases import EXERCISES
from autograder.kit.drawing import CHECKOUT, SOLUTIONS, load_solution
from autograder.manifest import load_manifest
from tests.goldens import CODE_POINTS, GOLDENS, of_kind

BONUS = {one.name: one.function for one in load_manifest().exercises if one.bonus}
# Those whose every mistake has a golden folder; the gate alone proves the others.
# By exercise and misconception the numbers of the tests that fail, as CONTRACT.md lists them.
FAILS = {
    "multi_head": {
        "scale_d_model": "1234",
        "scale_all_heads": "123",
        "heads_averaged heads_summed reshape_without_transpose interleaved no_projection": "235",
        "weights_averaged": "1346",
        "first_head_for_all heads_reversed": "23",
        "shared_weights": "123",
        "mask_first_head_only": "36",
    },
    "positions": {
        "counts_from_one halves swapped": "12",
        "exponent_i_over_d multiplied degrees same_frequency": "1",
        "cos_next_exponent": "145",
        "scaled_by_T": "13",
        "sin_only raw_index": "1245",
        "integers": "1456",
        "position_forgotten": "12567",
        "random_each_call": "12345",
    },
    "kv_cache": {
        "attends_before_appending no_scaling scale_by_length newest_value_only": "26",
        "window_of_three masks_the_newest": "26",
        "caches_queries prepends": "236",
        "cache_scaled_again caches_embeddings": "23",
        "drops_the_oldest": "234",
        "values_not_projected": "1246",
        "in_place": "5",
    },
    "price": {
        "no_projection": "13",
        "projection_per_head": "1",
        "heads_of_full_width": "134",
        "length_owns_parameters": "12",
        "linear_scores blend_forgotten counts_flops": "34",
        "one_layer": "1345",
        "keys_only caches_queries_too cache_quadratic": "5",
        "float_division": "6",
    },
}


def right_and(tmp_path, **sources):
    """A folder with the core's solutions, and these files in place of theirs."""
    for name in ("softmax", "causal_mask", "attention"):
        shutil.copy(SOLUTIONS / f"{name}.py", tmp_path)
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    return grade(tmp_path)


def passed(report, name):
    tests = next(exercise for exercise in report.bonus if exercise.name == name).tests
    return sum(test.verdict == "passed" for test in tests), len(tests)


@pytest.mark.parametrize("exercise", FAILS)
def test_every_mistake_has_a_folder_and_fails_what_the_contract_lists(exercise):
    suite = EXERCISES / exercise / f"test_{exercise}.py"
    tests = re.findall(r"^def (test_\w+)", suite.read_text(encoding="utf-8"), re.MULTILINE)
    expected = {
        name: numbers for names, numbers in FAILS[exercise].items() for name in names.split()
    }
    found = {}
    for name in of_kind("bonus"):
        golden = GOLDENS[name]
        if exercise in golden.exercises:
            assert golden.misconceptions == [golden.mistake]
            failed = golden.verdicts[exercise]
            found[golden.mistake] = "".join(str(tests.index(test) + 1) for test in failed)
    assert found == expected
    known = registry.configuration(BONUS[exercise])
    assert known is not None
    assert {one.name for one in (*known.misconceptions, *known.forms)} == {*expected}


def test_right_styles_cover_every_bonus_exercise_five_times():
    styles = [name for name in of_kind("right") if {*FAILS} <= {*GOLDENS[name].exercises}]
    assert len(styles) >= 5


# --- the core is not touched -------------------------------------------------------------------


def test_no_bonus_costs_nothing_and_all_of_them_earn_nothing(tmp_path):
    without = right_and(tmp_path)
    assert {test.verdict for exercise in without.bonus for test in exercise.tests} == {"missing"}
    with_all = grade(SOLUTIONS)
    assert {test.verdict for exercise in with_all.bonus for test in exercise.tests} == {"passed"}
    assert without.score == CODE_POINTS
    assert with_all.score == with_all.max_score == without.max_score == 100


def test_the_untouched_stubs_are_not_attempted():
    """Nor are the public checks beside them taken for the functions that they check."""
    report = grade(CHECKOUT / "student_template")
    assert {test.verdict for one in report.bonus for test in one.tests} == {"not_attempted"}


@pytest.mark.slow
def test_a_bonus_that_hangs_costs_the_core_nothing(tmp_path):
    hangs = "while True:\n    pass\n"
    called = "def price(T, d_model, heads, layers):\n    while True:\n        pass\n"
    report = right_and(
        tmp_path,
        multi_head=f"def multi_head(*given, **causal):\n    return {'{}'}\n{hangs}",
        price=called,
    )
    assert report.score == CODE_POINTS
    assert passed(report, "price")[0] == passed(report, "multi_head")[0] == 0


def test_a_failed_attention_is_replaced(tmp_path):
    wrong = (SOLUTIONS / "attention.py").read_text().replace(" / np.sqrt(d_k)", "")
    source = (SOLUTIONS / "multi_head.py").read_text()
    report = right_and(tmp_path, attention=wrong, multi_head=source)
    assert passed(report, "multi_head") == (6, 6)
    assert report.replaced["multi_head"] == ["attention"]


def test_results_in_another_order_or_form_are_read_through(tmp_path):
    source = (SOLUTIONS / "multi_head.py").read_text()
    weights_first = source.replace(
        "np.concatenate(outputs, axis=1) @ W_o, np.stack(weights)",
        "list(weights), np.concatenate(outputs, axis=1) @ W_o",
    )
    cache = (SOLUTIONS / "kv_cache.py").read_text()
    output_last = cache.replace("weights @ values, keys, values", "keys, values, weights @ values")
    report = right_and(tmp_path, multi_head=weights_first, kv_cache=output_last)
    # The one test that asks for the order is lost.
    assert passed(report, "multi_head") == passed(report, "kv_cache") == (5, 6)


@pytest.mark.parametrize(
    "returned", ["output, keys.T, values", "output, keys[:1], values", "output, keys, values[0]"]
)
def test_caches_that_no_step_can_go_on_from_are_the_students_fault(tmp_path, returned):
    source = (SOLUTIONS / "kv_cache.py").read_text()
    right = "return weights @ values, keys, values"
    broken = source.replace(right, f"output = weights @ values\n    return {returned}")
    report = right_and(tmp_path, kv_cache=broken)
    assert 0 < passed(report, "kv_cache")[0] < 6


def test_a_function_is_found_under_another_file_name(tmp_path):
    source = (SOLUTIONS / "kv_cache.py").read_text()
    report = right_and(tmp_path, attend_next=source, kv_cache="raise SystemExit\n")
    assert passed(report, "kv_cache") == (6, 6)


def test_live_kernels_are_the_captured_ones():
    pytest.importorskip("torch", reason="torch is the kernel")
    report = grade(SOLUTIONS, live_kernel=True)
    assert passed(report, "multi_head") == passed(report, "price") == (6, 6)


# --- the pages ---------------------------------------------------------------------------------


def page(name):
    text = (CHECKOUT / "assignments" / "bonus" / f"{name}.md").read_text(encoding="utf-8")
    return " ".join(text.split())


@pytest.mark.parametrize("name", BONUS)
def test_a_page_is_whole(name):
    found = page(name)
    assert f"**File:** `{name}.py`. **Function:** `{BONUS[name]}(" in found
    for part in ("What", "Why", "With a pencil", "The contract", "Before you hand in"):
        assert f"## {part}" in found
    assert found.index("## One thing to try") > found.index("## Before you hand in")
    assert "river bank" in found.lower().partition("## one thing to try")[2]
    if name in pictures():
        assert f"](../pictures/{name}.svg)" in found
    assert not re.search(r"\bnp\.|import ", found)
    for folder in (CHECKOUT / "student_template", SOLUTIONS):
        assert (folder / f"{name}.py").is_file()


def row(values, decimals=3):
    return f"[{', '.join(f'{value:.{decimals}f}' for value in values)}]"


def plain(values):
    return f"[{', '.join(f'{round(float(value), 3):g}' for value in values)}]"


def test_numbers_of_multi_head():
    found, multi_head = page("multi_head"), load_solution("multi_head")
    (example, masked, *_) = registry.contracts()["multi_head"].examples
    output, weights = multi_head(*example.arguments)
    for rows in (*weights, output, example.arguments[0], example.arguments[4]):
        for values in rows:
            assert plain(values) in found
    assert plain(multi_head(*masked.arguments, causal=True)[0][0]) in found
    wired = [np.stack([LOG.W_q, LOG.W_k]), np.stack([LOG.W_k, LOG.W_q])]
    identity = np.eye(4)
    merge = np.vstack([identity, identity])
    _, looks = multi_head(LOG.embeddings, *wired, np.stack([identity] * 2), merge)
    for head, words in ((0, (2, 1)), (1, (2, 1)), (0, (1, 2)), (1, (1, 2))):
        assert f"{looks[head][words]:.3f}" in found
    assert f"768 x 768 = {768 * 768:,}" in found


def test_numbers_of_positions():
    found, positions = page("positions"), load_solution("positions")
    table = positions(3, 4)
    for p in (1, 2):
        cells = [f"{value:.5f}" for value in table[p]]
        assert f"| {p} | {cells[0]}, {cells[1]} | {cells[2]}, {cells[3]} |" in found
    for X in (LOG.embeddings, LOG.embeddings + table, LOG.embeddings[::-1] + table):
        shares = np.exp(X @ X.T)
        outputs = shares / shares.sum(axis=1, keepdims=True) @ X
        bank = 0 if X is not LOG.embeddings and np.allclose(X, LOG.embeddings[::-1] + table) else 2
        assert row(outputs[bank]) in found


def test_numbers_of_kv_cache():
    found, attend_next = page("kv_cache"), load_solution("attend_next")
    first, second, _ = registry.contracts()["attend_next"].examples
    assert f"its output is its own value: {plain(attend_next(*first.arguments)[0])}" in found
    output, keys, values = attend_next(*second.arguments)
    assert f"[0, 8] = {plain(output)}" in found
    assert plain(values[0]) in found
    assert plain(values[1]) in found
    keys, values = np.zeros((0, 2)), np.zeros((0, 4))
    for x, share in zip(LOG.embeddings, ("1.000", "0.406", "0.159"), strict=True):
        output, keys, values = attend_next(x, keys, values, LOG.W_q, LOG.W_k, np.eye(4))
        assert plain(output) in found
        assert f"{output[3]:.3f}" == share
        assert share in found
    kept = load_solution("price")(1024, **GPT_2)[2]
    assert f"{kept:,} numbers, or {kept * 4 / 2**20:g} MiB" in found


def test_numbers_of_price():
    found, price = page("price"), load_solution("price")
    for number in (*price(3, 4, 2, 1), *price(1024, **GPT_2)):
        assert f"{number:,}" in found
    assert f"{price(1024, **GPT_2)[2] * 4 / 2**20:g} MiB" in found
    d_model = GPT_2["d_model"]
    for T, width in ((2 * d_model, d_model), (8, 4)):
        assert f"{T:,} words" in found
        assert price(T, width, 1, 1)[1] == 2 * (2 * T**2 * width)
    assert "512 multiplications each" in found
    assert price(8, 4, 2, 1)[1] == 2 * 512
