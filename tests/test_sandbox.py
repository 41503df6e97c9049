"""sandbox/: real guests, asked over real pipes; nothing that they do reaches the grader."""

import ast
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.budget import Budget
from autograder.exercises.attention.contract import attention as ask_attention
from autograder.exercises.causal_mask.contract import causal_mask as ask_causal_mask
from autograder.exercises.registry import readers
from autograder.exercises.softmax.contract import softmax as ask_softmax
from autograder.intake.submission import open_submission
from autograder.kit.contract import numbers
from autograder.manifest import load_manifest
from autograder.report import StudentFault
from autograder.sandbox import protocol
from autograder.sandbox.inside import guest
from autograder.sandbox.interpreter import arrangements
from autograder.sandbox.process import Guest
from autograder.sandbox.student import Replacement, Student
from autograder.sandbox.zygote import ENVIRONMENT, Zygotes

LIMITS = load_manifest().limits
QUICK = replace(LIMITS, call_seconds=1.0)
X = np.arange(6.0).reshape(2, 3)
HEAD = (np.ones((4, 3)), np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 5)))
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def make(tmp_path):
    """Students of the given files; a string is softmax.py."""
    made: list[Student] = []

    def build(files, limits=LIMITS, seconds=60.0, replacements=()):
        folder = tmp_path / f"work{len(made)}"
        for name, source in ({"softmax.py": files} if isinstance(files, str) else files).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(source)
        submission = open_submission(folder, load_manifest())
        made.append(
            Student(submission, limits, Budget(seconds), readers(), replacements, public=True)
        )
        return made[-1]

    yield build
    for student in made:
        student.close()


def softmax(body: str) -> str:
    """A file whose softmax has this body; its line 4 is the body's first."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"import os, sys, time\nimport numpy as np\ndef softmax(x):\n{lines}\n"


def fault_of(ask) -> StudentFault:
    with pytest.raises(StudentFault) as caught:
        ask()
    return caught.value


def told(student: Student) -> object:
    """What a softmax made by `tells` says."""
    reply = student.call("softmax", X).reply
    return ast.literal_eval(bytes(reply.results[0].values.astype(np.uint8)).decode())


def tells(expression: str, before: str = "") -> str:
    return softmax(f"{before}\nsaid = repr({expression})\nreturn np.array(list(said.encode()))")


def gone(pid: int, seconds: float = 3.0) -> bool:
    """Whether a process ends; a zombie that nobody has waited for has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


# --- frames ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
SHAPES = st.lists(st.integers(-1, 9) | st.integers(), max_size=40)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(sorted(protocol.RESULT_TYPES)) | JSON,
        "shape": SHAPES | JSON,
        "as": st.sampled_from(sorted(protocol.DTYPES)) | JSON,
        "dtype": st.text(max_size=3) | JSON,
    },
)
HEADERS = st.fixed_dictionaries(
    {"kind": st.sampled_from(["loaded", "raised", "returned"]) | JSON},
    optional={
        "error": st.sampled_from(["ValueError", "Secret"]) | JSON,
        "file": st.text(max_size=3) | JSON,
        "line": JSON,
        "items": st.lists(ITEMS | JSON, max_size=10) | JSON,
        "changed": st.lists(st.integers(), max_size=3) | JSON,
    },
)


@settings(max_examples=400, deadline=None)
@given(HEADERS, st.binary(max_size=100))
def test_forged_replies_raise_bad_frame_only(header, body):
    try:
        reply = protocol.parse_reply(header, body)
    except protocol.BadFrame:
        return
    assert reply is None or isinstance(reply, protocol.Reply | protocol.Raised)


@pytest.mark.parametrize(
    "item",
    [
        {"type": []},
        {"type": {}},
        {"type": "ndarray", "shape": [0, 1 << 23] * 16, "as": "<f8", "dtype": ""},
        {"type": "ndarray", "shape": [True], "as": "<f8", "dtype": ""},
        {"type": "ndarray", "shape": [-1], "as": "<f8", "dtype": ""},
        {"type": "ndarray", "shape": [1], "as": "|O", "dtype": ""},
        {"type": "ndarray", "shape": [1 << 23] * 32, "as": "<f8", "dtype": ""},
    ],
)
def test_forged_items_raise_bad_frame_only(item):
    header = {"kind": "returned", "items": [item], "changed": []}
    with pytest.raises(protocol.BadFrame):
        protocol.parse_reply(header, b"")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()), st.integers())
def test_forged_headers_raise_bad_frame_only(encoded, number):
    with suppress(protocol.BadFrame):
        assert protocol.parse_header(encoded, number)["id"] == number


@pytest.mark.parametrize("encoded", [b"[" * 50_000, b'{"id": ' + b"9" * 9_000 + b"}", b"\xff\xfe"])
def test_headers_that_break_parsers(encoded):
    with pytest.raises(protocol.BadFrame):
        protocol.parse_header(encoded, 1)


@given(st.binary(min_size=8, max_size=8))
def test_lengths_are_capped(prefix):
    try:
        header, body = protocol.lengths(prefix)
    except protocol.BadFrame:
        return
    assert header <= protocol.HEADER_CAP
    assert body <= protocol.BODY_CAP


VALUES = arrays.arrays(
    st.sampled_from([np.float64, np.int64, np.bool_]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_replies_make_the_round_trip(values):
    value = values[0] if len(values) == 1 else tuple(values)
    header, body = guest.Encoder(np).encode(value, [1])
    reply = protocol.parse_reply(json.loads(json.dumps(header)), body)
    assert reply.changed == (1,)
    if len(reply.results) == len(values):
        for result, array in zip(reply.results, values, strict=True):
            assert result.dtype == array.dtype.name
            np.testing.assert_array_equal(result.values, array)
            assert result.values.dtype == array.dtype


@settings(deadline=None)
@given(VALUES)
def test_requests_make_the_round_trip(array):
    header, body = guest.receive(io.BytesIO(protocol.encode({"id": 7, "text": "é"}, [array])))
    assert header == {"id": 7, "text": "é"}
    assert bytes(body) == array.tobytes()
    assert guest.receive(io.BytesIO(b"")) is None


@settings(max_examples=300, deadline=None)
@given(VALUES, st.integers(0, 300), st.integers(0, 255))
def test_damaged_frames_raise_bad_frame_only(array, position, value):
    header, body = guest.Encoder(np).encode(array, [])
    damaged = bytearray(json.dumps({"id": 1, **header}).encode())
    damaged[position % len(damaged)] = value
    with suppress(protocol.BadFrame):
        protocol.parse_reply(protocol.parse_header(bytes(damaged), 1), body)


# --- values and forms ------------------------------------------------------------------------


def test_values_arrive_and_return(make):
    student = make(
        {
            "softmax.py": softmax("x += 1\nreturn 2 * x"),
            "causal_mask.py": "import numpy as np\ndef causal_mask(n): return np.eye(n) == 1\n",
            "attention.py": "def attention(X, q, k, v, causal=False):\n"
            "    return X @ v * (2 if causal else 1), X @ X.T\n",
        }
    )
    np.testing.assert_array_equal(ask_softmax(student, X), 2 * X + 2)
    np.testing.assert_array_equal(ask_causal_mask(student, 3), np.eye(3, dtype=bool))
    plain, hidden = ask_attention(student, *HEAD), ask_attention(student, *HEAD, causal=True)
    np.testing.assert_array_equal(plain.output, HEAD[0] @ HEAD[3])
    np.testing.assert_array_equal(hidden.output, 2 * plain.output)
    np.testing.assert_array_equal(hidden.weights, HEAD[0] @ HEAD[0].T)
    assert plain.answer.in_order
    assert [exchange.function for exchange in student.transcript] == [
        "softmax",
        "causal_mask",
        "attention",
        "attention",
    ]


@pytest.mark.parametrize("dtype", ["<f8", "<i8", "|b1"])
def test_arguments_keep_their_dtype(make, dtype):
    result = make(softmax("return x")).call("softmax", np.eye(2).astype(dtype)).reply.results[0]
    assert result.values.dtype == np.dtype(dtype)


SUBCLASS = """class Mine(np.ndarray):
    def __array_ufunc__(self, *a, **k): return True
    def __eq__(self, other): return True
    def tobytes(self): return b""
return (x + 1).view(Mine)"""
FORMS = [
    ("return x + 1", "ndarray", "float64", X + 1),
    ("return (x + 1).tolist()", "list", "float64", X + 1),
    ("return tuple(map(tuple, x + 1))", "tuple", "float64", X + 1),
    ("return [row for row in x + 1]", "list", "float64", X + 1),
    ("return np.asmatrix(x + 1)", "matrix", "float64", X + 1),
    ("return np.ma.masked_equal(x + 1, 3)", "MaskedArray", "float64", np.where(X == 2, 0, X + 1)),
    ("return (x + 1).astype('f4')", "ndarray", "float32", X + 1),
    ("return (x + 1).astype('f2')", "ndarray", "float16", X + 1),
    ("return (x + 1).astype('u1')", "ndarray", "uint8", X + 1),
    ("return (x + 1).astype(object)", "ndarray", "object", X + 1),
    ("return (x + 1).astype('>f8').T.copy().T", "ndarray", "float64", X + 1),
    ("return (x + 1)[::-1, ::-1][::-1, ::-1]", "ndarray", "float64", X + 1),
    ("return np.broadcast_to(1.0, x.shape)", "ndarray", "float64", np.ones(X.shape)),
    (SUBCLASS, "subclass", "float64", X + 1),
    ("return 1.5", "number", "float64", np.array(1.5)),
    ("return np.float64(1.5)", "number", "float64", np.array(1.5)),
    ("return (row for row in x)", "other", "float64", X),
    ("return softmax", "other", "", None),
    ("return None", "None", "", None),
    ("pass", "None", "", None),
    ("return 'text'", "str", "", None),
    ("return np.array([['a']])", "ndarray", "", None),
    ("return {'weights': x + 1}", "dict", "float64", X + 1),
    ("return {'weights': 'text'}", "dict", "", None),
    ("return {}", "dict", "", None),
    ("return np.zeros((2000, 2000))", "too_large", "", None),
    ("return x * 1j", "ndarray", "", None),
]


@pytest.fixture(scope="module")
def forms_student(tmp_path_factory):
    """One guest for all forms: softmax picks its body by the first number."""
    folder = tmp_path_factory.mktemp("forms")
    source = "import numpy as np\n"
    for number, (body, *_) in enumerate(FORMS):
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        source += f"def f{number}(x):\n{lines}\n"
    source += "def softmax(x): return globals()[f'f{int(x[0, 0])}'](x - np.eye(2, 3) * x[0, 0])\n"
    (folder / "softmax.py").write_text(source)
    unread = {"softmax": lambda reply, arguments: reply}
    student = Student(open_submission(folder, load_manifest()), LIMITS, Budget(600.0), unread)
    yield student
    student.close()


@pytest.mark.parametrize("number", range(len(FORMS)), ids=[form[0][:45] for form in FORMS])
def test_forms(forms_student, number):
    _, kind, dtype, values = FORMS[number]
    argument = X.copy()
    argument[0, 0] = number
    argument[1, 1] = X[1, 1] + number
    (result,) = forms_student.call("softmax", argument).results
    assert (result.type, result.dtype) == (kind, dtype)
    if values is None:
        assert result.values is None
        assert fault_of(lambda: numbers(result, "softmax")).verdict == "failed"
    else:
        np.testing.assert_array_equal(numbers(result, "softmax"), values)


PAIRS = [
    ("return a, w", True),
    ("return [a, w]", True),
    ("return a.tolist(), w.tolist()", True),
    ("return np.asmatrix(a), w", True),
    ("return w, a", False),
    ("return a, w, w", False),
    ("return a, w, None", False),
    ("return a, w, {'scores': w}", False),
    ("return collections.namedtuple('Head', 'output weights')(a, w)", True),
]


@pytest.mark.parametrize(("ending", "in_order"), PAIRS)
def test_two_results_are_read_through_faults_of_form(make, ending, in_order):
    source = "import collections\nimport numpy as np\ndef attention(X, q, k, v, causal=False):\n"
    source += f"    a, w = X @ v, X @ X.T\n    {ending}\n"
    head = ask_attention(make({"attention.py": source}), *HEAD)
    np.testing.assert_array_equal(head.output, HEAD[0] @ HEAD[3])
    np.testing.assert_array_equal(head.weights, HEAD[0] @ HEAD[0].T)
    assert head.answer.in_order is in_order


def test_output_alone_is_read_and_named(make):
    head = ask_attention(
        make({"attention.py": "def attention(X, q, k, v):\n    return X @ v\n"}), *HEAD
    )
    np.testing.assert_array_equal(head.output, HEAD[0] @ HEAD[3])
    assert fault_of(lambda: head.weights).misconception == "return_order"


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("x[0, 0] = 9\nreturn x", (0,)),
        ("x *= 1\nreturn x", ()),
        ("x.shape = (3, 2)\nreturn x", ()),
        ("x[0, 0] = float('nan')\nreturn x", (0,)),
        ("x[0, 0] += 1\nx[0, 0] -= 1\nreturn x", ()),
    ],
)
def test_changed_arguments(make, body, changed):
    assert make(softmax(body)).call("softmax", X).reply.changed == changed


# --- faults ----------------------------------------------------------------------------------

SECRET = "class Secret31415(ValueError): pass\nraise Secret31415(str(x))"
SECRET_BUILTIN = "raise type('Secret31415', (ValueError,), {'__module__': 'builtins'})(x)"
FORGED = "exec(compile('\\n' * {} + 'raise ValueError', __file__{}, 'exec'))"
FAULTS = [
    ("raise ValueError(x)", "failed", "ValueError in line 4 of softmax.py"),
    (SECRET, "failed", "ValueError in line 5 of softmax.py"),
    (SECRET_BUILTIN, "failed", "ValueError in line 4 of softmax.py"),
    (FORGED.format(3, ".replace('softmax', 'Secret31415')"), "failed", "ValueError."),
    (FORGED.format(31415, ""), "failed", "ValueError."),
    ("raise KeyError(1) from ValueError(2)", "failed", "KeyError in line 4"),
    ("raise ExceptionGroup('x', [ValueError(1)])", "failed", "ExceptionGroup in line 4"),
    ("return undefined", "failed", "NameError in line 4"),
    ("assert False, x", "failed", "AssertionError in line 4"),
    ("return input()", "failed", "input() is not available"),
    ("return softmax(x)", "failed", "RecursionError"),
    ("return np.linalg.inv(x)", "failed", "ValueError in line 4"),
    ("return np.ones(1 << 30)", "out_of_memory", "MemoryError) in line 4"),
    ("y = []\nwhile True: y.append(bytes(1 << 24))", "out_of_memory", "MemoryError) in line 5"),
    ("sys.exit(x)", "crashed", "SystemExit) in line 4"),
    ("raise KeyboardInterrupt", "crashed", "KeyboardInterrupt) in line 4"),
    ("os._exit(0)", "crashed", "ended the program"),
    ("os._exit(31)", "crashed", "ended the program"),
    ("import ctypes; ctypes.string_at(0)", "crashed", "SIGSEGV"),
    ("os.kill(os.getpid(), 9)", "crashed", "SIGKILL"),
    ("os.abort()", "crashed", "SIGABRT"),
    ("os.closerange(0, 64)", "crashed", ""),
    (
        "for fd in range(3, 64):\n  try: os.write(fd, b'#' * 99)\n  except OSError: pass",
        "crashed",
        "",
    ),
    ("import scipy", "import_error", "line 4 of softmax.py imports scipy"),
    ("def deep(): raise GeneratorExit\ndeep()", "failed", "GeneratorExit in line 4"),
]


@pytest.mark.parametrize(("body", "verdict", "sentence"), FAULTS, ids=[f[0][:50] for f in FAULTS])
def test_faults_of_a_call(make, body, verdict, sentence):
    if "ExceptionGroup" in body and sys.version_info < (3, 11):
        pytest.skip("no ExceptionGroup")
    fault = fault_of(lambda: ask_softmax(make(softmax(body), QUICK), X))
    assert "31415" not in fault.words
    assert fault.verdict == verdict
    assert sentence.lower() in fault.words.lower()


@pytest.mark.parametrize(
    ("source", "verdict", "sentence", "misconception"),
    [
        (
            "import scipy.special\nscipy.special\n",
            "import_error",
            "Line 1 of softmax.py imports scipy",
            "needs_scipy",
        ),
        (
            "import numpy, torch\n",
            "import_error",
            "imports torch; this exercise allows NumPy",
            "needs_torch",
        ),
        ("from ..helpers import x\n", "import_error", "leading dot", None),
        ("from numpy import nothing\n", "import_error", "ImportError", None),
        ("import helpers\nhelpers.x\n", "import_error", "imports helpers", None),
        ("1 / 0\n", "import_error", "ZeroDivisionError in line 1 of softmax.py", None),
        ("undefined\n", "import_error", "NameError in line 1", "undefined_name"),
        ("raise SystemExit\n", "crashed", "SystemExit", None),
        ("import os; os._exit(0)\n", "crashed", "ended the program", None),
        ("input()\n", "import_error", "input() is not available", None),
        ("while True: pass\n", "timeout", "longer than 1 seconds", None),
    ],
)
def test_faults_of_an_import(make, source, verdict, sentence, misconception):
    student = make(source + "def softmax(x): return x\n", QUICK)
    fault = fault_of(lambda: ask_softmax(student, X))
    assert fault.verdict == verdict
    assert sentence in fault.words
    assert fault.misconception == misconception


def test_an_import_fault_is_remembered(make):
    student = make("import time; time.sleep(0.6); 1 / 0\ndef softmax(x): return x\n")
    first = fault_of(lambda: ask_softmax(student, X))
    started = time.monotonic()
    assert fault_of(lambda: ask_softmax(student, X)).words == first.words
    assert time.monotonic() - started < 3
    assert not student.loads("softmax.py")


def test_one_file_may_fail_while_others_answer(make):
    student = make({"softmax.py": "1 / 0\nsoftmax = 1\n", "causal_mask.py": "causal_mask = abs\n"})
    assert fault_of(lambda: ask_softmax(student, X)).verdict == "import_error"
    assert ask_causal_mask(student, 1) == 1


def test_an_endless_loop_is_late(make):
    started = time.monotonic()
    fault = fault_of(lambda: ask_softmax(make(softmax("while True: pass"), QUICK), X))
    assert fault.verdict == "timeout"
    assert time.monotonic() - started < 8


def test_after_two_deaths_the_same_is_not_asked_again(make):
    source = "import os\ndef attention(X, q, k, v, causal=False):\n"
    source += "    if causal: os._exit(1)\n    return X @ v, X @ X.T\n"
    student = make({"attention.py": source})
    for _ in range(2):
        assert fault_of(lambda: ask_attention(student, *HEAD, causal=True)).verdict == "crashed"
    started = time.monotonic()
    for _ in range(20):
        assert fault_of(lambda: ask_attention(student, *HEAD, causal=True)).verdict == "crashed"
    # A guest for each would take twenty times 0.1 s and more.
    assert time.monotonic() - started < 5
    assert ask_attention(student, *HEAD).answer.in_order
    assert ask_attention(student, *HEAD, causal=False).answer.in_order


def test_a_spent_budget_is_told(make):
    # The guest's start counts too.
    student = make(softmax("time.sleep(1.5)\nreturn x"), seconds=4.2)
    assert [ask_softmax(student, X).shape, ask_softmax(student, X).shape] == [X.shape] * 2
    assert fault_of(lambda: ask_softmax(student, X)).verdict == "timeout"
    started = time.monotonic()
    fault = fault_of(lambda: ask_softmax(student, X))
    assert "used up its time" in fault.words
    assert time.monotonic() - started < 3


def test_prints_are_harmless(make):
    body = "print('x' * 10_000_000, flush=True)\nprint('y' * 10_000_000, file=sys.stderr)\n"
    body += "os.write(1, b'z' * 100_000)\nos.system('echo shell; echo shell >&2')\nreturn x"
    np.testing.assert_array_equal(ask_softmax(make(softmax(body)), X), X)


def test_after_a_broken_channel_a_new_guest_answers(make):
    body = "if x[0, 0] == 1:\n    for fd in range(3, 64):\n        try: os.write(fd, b'!' * 64)\n"
    body += "        except OSError: pass\nreturn x"
    student = make(softmax(body), QUICK)
    fault = fault_of(lambda: ask_softmax(student, np.ones((2, 2))))
    assert fault.verdict == "crashed"
    np.testing.assert_array_equal(ask_softmax(student, X), X)


def test_a_second_answer_does_not_count_for_the_next_question(make):
    body = """answer = b'{"id": 3, "kind": "loaded"}'
frame = len(answer).to_bytes(4, "big") + bytes(4) + answer
import threading
def late():
    time.sleep(0.2)
    for fd in range(3, 64):
        try: os.write(fd, frame)
        except OSError: pass
if x[0, 0] == 1: threading.Thread(target=late, daemon=True).start()
return x"""
    student = make(softmax(body), QUICK)
    ask_softmax(student, np.ones((2, 2)))
    time.sleep(0.4)
    assert fault_of(lambda: ask_softmax(student, X)).verdict == "crashed"
    np.testing.assert_array_equal(ask_softmax(student, X), X)


def test_a_late_answer_is_never_taken_for_the_next(make):
    student = make(softmax("time.sleep(1.3 if x[0, 0] == 1 else 0)\nreturn x"), QUICK)
    assert fault_of(lambda: ask_softmax(student, np.ones((2, 2)))).verdict == "timeout"
    np.testing.assert_array_equal(ask_softmax(student, X), X)


def test_threads_left_running_do_not_matter(make):
    body = "import threading\ndef spin():\n    while True: time.sleep(0.001)\n"
    body += "for _ in range(3): threading.Thread(target=spin).start()\nreturn x"
    student = make(softmax(body))
    for _ in range(3):
        np.testing.assert_array_equal(ask_softmax(student, X), X)
    started = time.monotonic()
    student.close()
    assert time.monotonic() - started < 5


# --- the room --------------------------------------------------------------------------------


def test_only_numpy_and_the_standard_library_can_be_imported(make):
    before = """import importlib
sys.path += [os.path.dirname(path) for path in sys.path]
names = []
for name in ["scipy", "torch", "pytest", "autograder", "rich", "click", "numpy.linalg", "decimal"]:
    try: importlib.import_module(name); names.append(name)
    except ImportError: pass"""
    assert told(make(tells("names", before))) == ["numpy.linalg", "decimal"]


def test_the_search_path_ends_in_numpy_and_the_students_folder(make):
    path = told(make({"softmax.py": tells("sys.path"), "sub/helper.py": ""}))
    assert [Path(entry).name for entry in path[-3:]] == ["libraries", "work", "sub"]
    assert "site-packages" not in "".join(path)
    assert all(Path(entry).is_absolute() for entry in path)


def test_the_environment_is_empty(make):
    environment = told(make(tells("dict(os.environ)")))
    # The interpreter itself may add LC_CTYPE.
    environment.pop("LC_CTYPE", None)
    assert environment == ENVIRONMENT


def test_the_working_directory_holds_the_py_files_only(make):
    files = {"softmax.py": tells("sorted(os.listdir())"), "notes.txt": "x", "data.csv": "x"}
    assert told(make({**files, "helper.py": "x = 1"})) == ["helper.py", "softmax.py"]


def test_the_command_line_tells_nothing(make):
    seen = told(make(tells("[sys.argv, sys.orig_argv]")))
    assert "hidden_tests" not in str(seen)


@ROOT
def test_root_becomes_another_user(make):
    before = "try: os.setuid(0); back = True\nexcept OSError: back = False"
    student = make(tells("[os.getresuid(), os.getresgid(), os.getgroups(), back]", before))
    (*uids,), (*gids,), groups, back = told(student)
    assert min(uids + gids) >= 1 << 24
    assert groups == []
    assert not back
    assert "uid" in student.isolation


@LINUX
def test_limits_hold(make):
    names = ["AS", "CPU", "FSIZE", "NOFILE", "CORE"]
    expression = f"[resource.getrlimit(getattr(resource, 'RLIMIT_' + n)) for n in {names}]"
    student = make(tells(expression, "import resource"))
    memory, cpu, size, files, core = told(student)
    assert memory == (512 << 20, 512 << 20)
    assert cpu[0] == cpu[1] <= 70
    assert size == (1 << 20, 1 << 20)
    assert files == (64, 64)
    assert core == (0, 0)
    assert {"process", "rlimits", "parent_death"} <= {*student.isolation}


SEEDS = """import random
import numpy as np
def value():
    return [hash("attention"), random.random(), float(np.random.rand()), list({"a", "b", "c", "d"})]
"""


@LINUX
def test_guests_are_seeded_alike_executed_or_forked(make):
    expression, zygotes = "value()", Zygotes()
    students = [make(tells(expression, SEEDS)) for _ in range(3)]
    for student in students[1:]:
        student.start = partial(Guest, zygotes=zygotes)
    try:
        values = [told(student) for student in students]
    finally:
        for student in students:
            student.close()
        zygotes.close()
    assert values[0] == values[1] == values[2]


@LINUX
def test_a_guest_is_the_first_that_a_machine_without_memory_ends(make):
    told_by = "open('/proc/self/oom_score_adj').read()"
    student = make(tells(told_by))
    student.start = partial(Guest, without=("landlock", "uid"))
    assert told(student).strip() == "1000"


def test_full_memory_is_told_as_such_where_a_matrix_is_multiplied(make):
    """OpenBLAS would end the process, or try for ever, where it cannot get its first buffer."""
    source = """import numpy as np
A, OUT, HELD = np.ones((300, 300)), np.empty((300, 300)), []
def softmax(x):
    for size in (1 << 20, 1 << 16, 1 << 12, 1 << 8):
        try:
            while True: HELD.append(bytearray(size))
        except MemoryError:
            pass
    np.matmul(A, A, out=OUT)
    return np.ones((300, 300)) @ OUT
"""
    fault = fault_of(lambda: ask_softmax(make(source), X))
    assert fault.verdict == "out_of_memory", fault.words


@LINUX
def test_the_guest_dies_with_its_parent(tmp_path):
    (tmp_path / "softmax.py").write_text(softmax("time.sleep(60)"))
    program = f"""
from pathlib import Path
from autograder.manifest import load_manifest
from autograder.exercises.registry import readers
from autograder.budget import Budget
from autograder.sandbox.student import Student
from autograder.intake.submission import open_submission
assignment = load_manifest()
submission = open_submission(Path({str(tmp_path)!r}), assignment)
student = Student(submission, assignment.limits, Budget(60.0), readers())
print(student._start()._process.pid, flush=True)
import numpy as np
student.call("softmax", np.ones((2, 2)))
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    pid = int(parent.stdout.readline())
    time.sleep(0.3)
    assert not gone(pid, 0.1)
    parent.kill()
    parent.wait()
    assert gone(pid)


@LINUX
@pytest.mark.parametrize(
    "escape",
    # Without root, nothing tells a child in a session of its own from the user's other processes.
    ["", pytest.param("os.setsid(); ", marks=ROOT)],
    ids=["child", "child in its own session"],
)
def test_close_leaves_no_process_and_no_folder(make, escape):
    before = "pid = os.fork()\n"
    before += f"if pid == 0: {escape}time.sleep(30); os._exit(0)\ntime.sleep(0.1)"
    student = make(tells("[os.getpid(), pid, os.getcwd()]", before))
    student.start = partial(Guest, without=("seccomp",))
    own, child, folder = told(student)
    assert Path(folder).exists()
    student.close()
    assert gone(own)
    assert not Path(folder).parent.exists()
    left = not gone(child, 1)
    if left:
        os.kill(child, signal.SIGKILL)
    assert not left


def test_a_student_can_be_asked_again_after_close(make):
    student = make(softmax("return x"))
    for _ in range(2):
        np.testing.assert_array_equal(ask_softmax(student, X), X)
        student.close()


@ROOT
def test_a_plain_user_grades_and_cleans_up_too():
    """Without root and locks the guest can write where it stands, and lock it."""
    body = "os.makedirs('a/b')\nos.chmod('a', 0)\nos.chmod('.', 0o500)\nreturn x"
    program = f"""
import sys
sys.path += {sys.path!r}
import numpy as np
from pathlib import Path
from autograder.manifest import load_manifest
from functools import partial
from autograder.exercises.registry import readers
from autograder.sandbox.process import Guest
from autograder.budget import Budget
from autograder.sandbox.student import Student
from autograder.intake.submission import Submission
work = Submission("work", {{"softmax.py": {softmax(body).encode()!r}}}, {{"softmax": "softmax.py"}})
unlocked = partial(Guest, without=("landlock", "seccomp"))
student = Student(work, load_manifest().limits, Budget(60.0), readers(), start=unlocked)
student.call("softmax", np.ones((2, 2)))
folder = Path(student._guest._folder.name)
student.close()
print("uid" in student.isolation, folder.exists())
"""
    done = subprocess.run(
        # As root, this interpreter may be one that no other user can run.
        [arrangements(Path(tempfile.gettempdir()))[0].python, "-B", "-c", program],
        user=65534,
        group=65534,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["False", "False"]


def test_files_beside_never_replace_what_python_has_loaded(make):
    files = dict.fromkeys(["numpy.py", "json.py", "struct.py"], "raise SystemExit\n")
    expression = "[json.dumps(1), numpy.__version__, struct.calcsize('d') == 8]"
    files["softmax.py"] = "import json, struct\nimport numpy\n" + tells(expression)
    assert told(make(files)) == ["1", np.__version__, True]


@pytest.mark.parametrize("name", ["json", "numpy", "random", "guest", "my.work", "__main__"])
def test_a_function_may_live_in_a_file_of_any_name(make, name):
    student = make({f"{name}.py": "import json\nsoftmax = lambda x: x + len(json.dumps(1))\n"})
    np.testing.assert_array_equal(ask_softmax(student, X), X + 1)


# --- replacements -------------------------------------------------------------------------------

RIGHT = "def softmax(x):\n    return x + 100\n"
WRONG = "def softmax(x):\n    return x\n"
CALLS = "def attention(X, *w): return {}(X), X\n"
BESIDE = {
    "import": "from softmax import softmax\n" + CALLS.format("softmax"),
    "alias": "from softmax import softmax as s\n" + CALLS.format("s"),
    "module": "import softmax\n" + CALLS.format("softmax.softmax"),
    "module alias": "import softmax as m\n" + CALLS.format("m.softmax"),
    "star": "from softmax import *\n" + CALLS.format("softmax"),
    "assigned": "import softmax as m\nf = m.softmax\n" + CALLS.format("f"),
    "a copy": WRONG + CALLS.format("softmax"),
    "imported when called": "def attention(X, *w):\n    from softmax import softmax\n"
    "    return softmax(X), X\n",
}
USES = {name: {"softmax.py": WRONG, "attention.py": use} for name, use in BESIDE.items()}
USES["own file"] = {"attention.py": BESIDE["a copy"]}
USES["third module"] = {
    "softmax.py": WRONG,
    "middle.py": "from softmax import softmax\ndef apply(x): return softmax(x)\n",
    "attention.py": "import middle\n" + CALLS.format("middle.apply"),
}
USES["subfolder"] = {
    "lib/softmax.py": WRONG,
    "attention.py": BESIDE["import"],
}


@pytest.mark.parametrize("files", USES.values(), ids=list(USES))
def test_replacements_replace_the_failed_helper(make, files):
    place = next((name for name in files if name.endswith("softmax.py")), "attention.py")
    student = make(files, replacements=(Replacement("softmax", RIGHT, place, True),))
    np.testing.assert_array_equal(ask_attention(student, *HEAD).output, HEAD[0] + 100)
    # Nothing is replaced where nothing is asked for.
    np.testing.assert_array_equal(ask_attention(make(files), *HEAD).output, HEAD[0])


@pytest.mark.parametrize("helper", ["softmax", "helpers"])
def test_replacements_for_a_file_that_does_not_load(make, helper):
    use = f"from {helper} import softmax\ndef attention(X, *w): return softmax(X), X\n"
    files = {f"{helper}.py": "import scipy\n" + WRONG, "attention.py": use}
    student = make(files, replacements=(Replacement("softmax", RIGHT, f"{helper}.py", False),))
    np.testing.assert_array_equal(ask_attention(student, *HEAD).output, HEAD[0] + 100)


def test_two_replacements(make):
    files = {
        "softmax.py": WRONG,
        "causal_mask.py": "def causal_mask(n): return n\n",
        "attention.py": "from softmax import softmax\nfrom causal_mask import causal_mask\n"
        "def attention(X, *w): return softmax(X) + causal_mask(2), X\n",
    }
    mask = Replacement(
        "causal_mask", "def causal_mask(n): return 1000 * n\n", "causal_mask.py", True
    )
    student = make(files, replacements=(Replacement("softmax", RIGHT, "softmax.py", True), mask))
    np.testing.assert_array_equal(ask_attention(student, *HEAD).output, HEAD[0] + 2100)
