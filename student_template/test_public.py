"""The tests that you can run yourself:  python -m pytest

They look at softmax.py, causal_mask.py and attention.py beside this file. Passing them all is a
good start, not the whole grade: the grader asks more, and all that it asks is on the pages.
"""

import ast
import importlib
import re
import sys
import traceback
from pathlib import Path

import pytest

try:
    import numpy as np
except ImportError:
    np = None  # every test then says how to install it

HERE = Path(__file__).resolve().parent
FUNCTIONS = ("softmax", "causal_mask", "attention")
# What each question of the exam asks for: a letter (a to d), a number, or a word.
ASKED = dict(zip([f"q{i:02d}" for i in range(1, 19)], "nnllnwllnlllnllnln", strict=True))
NUMBER = re.compile(r"[+-]?(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)

# A warning is no fault, even where a folder above this one turns warnings into errors.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(autouse=True)
def need_numpy():
    """Every test needs the real NumPy, and says so in words where there is none."""
    if np is None:
        say('NumPy is not installed here. To install it: python -m pip install "numpy>=2"')
    if getattr(np, "__file__", None) and Path(np.__file__).resolve().parent == HERE:
        say("Your own numpy.py hides the real NumPy: please give that file another name.")


# ---- The surroundings ----


def test_numpy_is_version_2_or_newer():
    if int(np.__version__.split(".")[0]) < 2:
        say(
            f"Your NumPy is {np.__version__}, and these exercises are graded with NumPy 2.\n"
            'To upgrade: python -m pip install --upgrade "numpy>=2"'
        )


def test_files_import_only_numpy_and_the_standard_library():
    # Tests of your own may import what they like: they are not graded.
    files = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
    beside = {path.stem for path in files} | set(FUNCTIONS)
    allowed = {"numpy"} | set(sys.stdlib_module_names) | beside
    complaints = []
    for path in files:
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:  # ValueError: the file holds null bytes
            line = getattr(error, "lineno", None) or 1
            words = getattr(error, "msg", error)
            complaints.append(f"{path.name}, line {line}: Python cannot read this ({words})")
            continue
        for line, module in imports(tree):
            if module.split(".")[0] not in allowed:
                complaints.append(
                    f"{path.name}, line {line}: imports {module}, "
                    "but only NumPy and the standard library are there when you are graded"
                )
    if complaints:
        say("\n".join(complaints))


# ---- softmax ----


def test_softmax_returns_floats_in_the_shape_of_the_scores():
    for shape in [(2, 5), (4, 3), (1, 1)]:
        scores = numbers(shape)
        check_array("softmax", "the result", ask("softmax", scores), shape, float)


def test_softmax_rows_sum_to_one():
    scores = numbers((4, 3))
    weights = check_array("softmax", "the result", ask("softmax", scores), (4, 3), float)
    check_rows("softmax", weights)


def test_softmax_gives_the_pencil_example():
    # Worked by hand on the page: e^0, e^1 and e^2, each divided by their sum; -inf gets nothing.
    scores = np.array([[0.0, 1.0, 2.0], [2.0, 2.0, -np.inf]])
    expected = np.array([[0.090, 0.245, 0.665], [0.5, 0.5, 0.0]])
    weights = check_array("softmax", "the result", ask("softmax", scores), (2, 3), float)
    check_close("softmax: the pencil example of the page comes out differently.", weights, expected)


def test_softmax_leaves_its_argument_unchanged():
    check_unchanged("softmax", ["scores"], [numbers((3, 4))])


# ---- causal_mask ----


def test_causal_mask_returns_booleans_in_a_square():
    for n in (1, 2, 5):
        check_array("causal_mask", f"the mask for n = {n}", ask("causal_mask", n), (n, n), bool)


def test_causal_mask_for_three_words():
    mask = check_array("causal_mask", "the mask for n = 3", ask("causal_mask", 3), (3, 3), bool)
    expected = np.array([[False, True, True], [False, False, True], [False, False, False]])
    if not np.array_equal(mask, expected):
        say(
            "causal_mask: the mask for n = 3 is not the one drawn in the docstring.\n"
            f"expected:\n{expected}\nyours:\n{mask}"
        )


# ---- attention ----


def test_attention_returns_output_and_weights():
    arguments = head(T=5, d_model=4, d_k=2, d_v=3)
    for options in ({}, {"causal": True}):
        check_pair(ask("attention", *arguments, **options), T=5, d_v=3)


def test_attention_rows_sum_to_one():
    arguments = head(T=5, d_model=4, d_k=2, d_v=3)
    for options in ({}, {"causal": True}):
        _, weights = check_pair(ask("attention", *arguments, **options), T=5, d_v=3)
        check_rows("attention", weights)


def test_attention_gives_the_pencil_example():
    # Worked by hand on the page: two words, d_model = 2, d_k = 4, d_v = 3.
    X = np.array([[1.0, 0.0], [1.0, 1.0]])
    W_q = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    W_k = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]])
    W_v = np.array([[1.0, 0.0, 2.0], [0.0, 4.0, -2.0]])
    output, weights = check_pair(ask("attention", X, W_q, W_k, W_v), T=2, d_v=3)
    words = "attention: the {} of the page's pencil example come out differently."
    check_close(words.format("weights"), weights, np.array([[0.269, 0.731], [0.5, 0.5]]))
    check_close(words.format("outputs"), output, np.array([[1.0, 2.924, 0.538], [1.0, 2.0, 1.0]]))


def test_attention_gives_the_masked_table_of_the_workshop():
    # "the river bank" under a causal mask. The workshop prints the table but not the numbers that
    # lead to it: these embeddings and matrices are our own reconstruction, right to three digits.
    # The axes of an embedding are water, money, place, grammar; the head has d_k = 2.
    the, river, bank = [0, 0, 0, 1.0], [1.0, 0, 0.4, 0], [0.6, 0.3, 0.6, 0]
    X = np.array([the, river, bank])
    W_q = np.array([[0, 0.5], [3.0, 0], [1.0, 0.5], [0, 0]])
    W_k = np.array([[1.0, 0], [0, 0], [0, 0.5], [0, 0]])
    W_v = np.eye(4)  # each word's value is its own embedding
    table = np.array([[1.0, 0.0, 0.0], [0.406, 0.594, 0.0], [0.159, 0.500, 0.341]])
    _, weights = check_pair(ask("attention", X, W_q, W_k, W_v, causal=True), T=3, d_v=4)
    check_close(
        'attention: the weights of "the river bank" differ from the workshop\'s.', weights, table
    )


def test_attention_leaves_its_arguments_unchanged():
    names = ["X", "W_q", "W_k", "W_v"]
    for options in ({}, {"causal": True}):
        check_unchanged("attention", names, head(T=4, d_model=3, d_k=2, d_v=5), **options)


# ---- the exam: only the form of your answers, never whether they are right ----


def test_exam_answers_have_the_right_form():
    path = HERE / "exam.toml"
    if not path.is_file():
        say("exam.toml is missing: it belongs into the folder of test_public.py.")
    complaints = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.split("#")[0].strip():
            continue
        found = re.fullmatch(r"""\s*(\w+)\s*=\s*("[^"]*"|'[^']*'|[^"'#]*)\s*(#.*)?""", line)
        fault = (
            fault_of_answer(found[1], found[2].strip(" \"'"))
            if found
            else ('cannot be read; write it like q01 = "b"')
        )
        if fault:
            complaints.append(f"exam.toml, line {number}: {fault}.")
    if complaints:
        say("\n".join(complaints))


# ---- From here on: how the tests above load your files, ask them, and put failures in words ----


def say(words):
    """Fail with these words alone, without a traceback."""
    pytest.fail(words, pytrace=False)


def fault_of_answer(question, answer):
    """What is wrong with the form of an answer; None for a good one or a blank."""
    if question not in ASKED:
        return f"{question} is no question of the exam"
    if not answer:
        return None
    if ASKED[question] == "l" and answer.lower() not in ("a", "b", "c", "d"):
        return f"{question} wants one of the letters a, b, c and d"
    if ASKED[question] == "n":
        parts = [part.strip() for part in answer.split("/")]
        if len(parts) > 2 or not all(NUMBER.fullmatch(part) for part in parts):
            return f"{question} wants a number, such as 12, 0.25 or 1/4"
    return None


def imports(tree):
    """The (line, module) of every absolute import in a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module


def student_place(error):
    """The (file name, line) in this folder where an error arose; (None, None) if nowhere."""
    if isinstance(error, SyntaxError) and Path(error.filename or "").suffix == ".py":
        return Path(error.filename).name, error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename).resolve()
        if path.parent == HERE and path.suffix == ".py" and path.name != Path(__file__).name:
            return path.name, frame.lineno
    return None, None


def describe(error):
    """Such as "softmax.py, line 7: ValueError: ..."."""
    file, line = student_place(error)
    place = f"{file}, line {line}: " if file and line else ""
    words = getattr(error, "msg", None) or str(error)
    return f"{place}{type(error).__name__}: {words}"


def load(name):
    """Import one of the student's files from this folder and return its function."""
    if not (HERE / f"{name}.py").is_file():
        say(f"{name}.py is missing: it belongs into the folder of test_public.py.")
    if sys.path[0] != str(HERE):
        sys.path.insert(0, str(HERE))
    for other in FUNCTIONS:  # a file of the same name may have been imported from elsewhere
        file = getattr(sys.modules.get(other), "__file__", None)
        if file and Path(file).resolve().parent != HERE:
            del sys.modules[other]
    # The words are said after the except block, or pytest would print the error's chain as well.
    fault = None
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        fault = f"{name}.py cannot be imported. {describe(error)}"
    if fault:
        say(fault)
    function = getattr(module, name, None)
    if not callable(function):
        say(f"{name}.py has no function called {name}: please keep the name of the template.")
    return function


def ask(name, *arguments, **options):
    """Call a student's function."""
    function = load(name)
    try:
        return function(*arguments, **options)
    except NotImplementedError as error:
        # attention may have stumbled over a softmax that is still a stub: name that one.
        file = student_place(error)[0] or f"{name}.py"
        fault = f"{Path(file).stem} is not written yet: open {file}."
    except (Exception, SystemExit) as error:
        fault = f"{name} stopped with an error. {describe(error)}"
    say(fault)


def numbers(shape):
    """Some everyday numbers, the same in every run."""
    return np.random.default_rng(7).normal(size=shape)


def head(T, d_model, d_k, d_v):
    """X, W_q, W_k and W_v of some head, the same in every run."""
    shapes = [(T, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)]
    rng = np.random.default_rng(7)
    return [rng.normal(size=shape) for shape in shapes]


def check_array(name, what, result, shape, kind):
    """A plain array of this shape that holds floats or booleans; returns it."""
    if result is None:
        say(f"{name}: {what} is None. Is there a return at the end?")
    if type(result) is not np.ndarray:
        say(f"{name}: {what} is a {type(result).__name__}, and must be a plain NumPy array.")
    if result.shape != shape:
        say(f"{name}: {what} has shape {result.shape}, and must have shape {shape}.")
    if kind is bool and result.dtype != bool:
        say(f"{name}: {what} holds {result.dtype}, and must hold booleans (True and False).")
    if kind is float and name == "softmax" and result.dtype != np.float64:
        say(f"{name}: {what} holds {result.dtype}, and must hold float64.")
    if kind is float and result.dtype.kind != "f":
        say(f"{name}: {what} holds {result.dtype}, and must hold floats.")
    return result


def check_pair(result, T, d_v):
    """What attention must return; returns (output, weights)."""
    if result is None:
        say("attention: the result is None. Is there a return at the end?")
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        say("attention must return a pair: the output first, then the weights.")
    output = check_array("attention", "the first result, output,", result[0], (T, d_v), float)
    weights = check_array("attention", "the second result, weights,", result[1], (T, T), float)
    return output, weights


def check_rows(name, weights):
    """No weight is negative, and each row sums to 1."""
    if (weights < 0).any():
        say(f"{name}: some weights are negative.")
    for i, total in enumerate(weights.sum(axis=1)):
        if not abs(total - 1) <= 1e-6:  # "not <=", so that nan is caught too
            say(f"{name}: row {i} of the weights sums to {total:.6f}, and must sum to 1.")


def check_close(words, yours, expected):
    """Equal to half a unit of the third digit."""
    if not np.allclose(yours, expected, rtol=0, atol=0.5e-3):
        texts = [np.array2string(a, precision=3, suppress_small=True) for a in (expected, yours)]
        say(f"{words}\nexpected:\n{texts[0]}\nyours:\n{texts[1]}")


def check_unchanged(name, names, arguments, **options):
    """The function leaves the arrays that it is given as they were."""
    before = [argument.copy() for argument in arguments]
    ask(name, *arguments, **options)
    for label, old, new in zip(names, before, arguments, strict=True):
        if not np.array_equal(old, new):
            say(f"{name} changes its argument {label}: please work on a new array or a copy.")
