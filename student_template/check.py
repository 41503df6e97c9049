"""Check your own work:  python check.py

    python check.py           what holds, and the first check that does not, in words
    python check.py --watch   the same again each time you save a file; Ctrl-C ends it
    python check.py --plot    your weights beside the workshop's, as a picture
    python check.py --zip     makes submission.zip and says what is still missing in it

It needs Python 3.10 or newer and NumPy 2. The checks of an exercise are in public/. Passing
them all is a good start, not the whole grade: the grader asks more, all of it on the pages.
"""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # this folder: a random.py of yours must not replace Python's own for NumPy
    sys.modules["check"] = sys.modules["__main__"]  # what the files of public/ import

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import re
import subprocess
import time
import traceback
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None  # main() and test_public.py then say how to install it

HERE = Path(__file__).resolve().parent
OURS = ("check", "test_public")
PYTHON_FOLDERS = ("public", "__pycache__", "venv", "env", "site-packages")
TOLERANCE = 1e-6  # as in the grade
WATCH_SECONDS = 0.2


class Wrong(Exception):
    """What is wrong with the student's work, in words for them; not_written for a stub."""

    def __init__(self, words, not_written=False):
        super().__init__(words)
        self.not_written = not_written


# ---- What a file in public/ is written with ----


def ask(name, *arguments, **options):
    """What a student's function returns for copies of these arguments; Wrong where it stops."""
    return ask_as_they_are(name, *map(copied, arguments), **options)


def ask_as_they_are(name, *arguments, **options):
    """The same for the arguments themselves, for a check that they stay unchanged."""
    function = function_of(name)
    wrong = None
    with students_settings():
        try:
            return function(*arguments, **options)
        except NotImplementedError as error:
            # attention may have stumbled over a softmax that is still a stub: name that one.
            wrong = not_written(Path(student_place(error)[0] or name).stem)
        except (Exception, SystemExit) as error:
            wrong = Wrong(f"{name} stopped with an error.\n  {described(error)}")
    raise wrong  # outside the except, or pytest would print the error's chain as well


def copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


def numbers(what, value):
    """A result as float64 whatever its form, as the grader reads it; Wrong where it holds none."""
    if value is None:
        raise Wrong(f"{what} is None. Is there a return at the end?")
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise Wrong(f"{what} is a {type(value).__name__} that does not hold numbers.") from None


def of_shape(what, array, shape):
    """The array, if it has this shape."""
    if array.shape != shape:
        raise Wrong(f"{what} has shape {array.shape}, and must have shape {shape}.")
    return array


def plain_array(what, value, kind):
    """Form only: a plain NumPy array of "float64", "float" (of any size) or "bool"."""
    if value is None:
        raise Wrong(f"{what} is None. Is there a return at the end?")
    if type(value) is not np.ndarray:
        raise Wrong(f"{what} is a {type(value).__name__}, and must be a plain NumPy array.")
    if not value.dtype.name.startswith(kind) and not (kind == "float" and value.dtype.kind == "f"):
        wanted = {"bool": "booleans (True and False)", "float": "floats"}.get(kind, kind)
        raise Wrong(f"{what} holds {value.dtype}, and must hold {wanted}.")


def same(what, yours, expected, where=""):
    """Equal to 1e-6, as in the grade; otherwise Wrong with both, cell by cell."""
    expected = np.asarray(expected)
    of_shape(what, yours, expected.shape)
    differs = ~np.isclose(yours, expected, rtol=TOLERANCE, atol=TOLERANCE)
    if differs.any():
        note = ""
        if np.isnan(yours).any():
            note = "\nnan is what Python makes of inf - inf, inf / inf, 0 / 0 and 0 * inf."
        elif np.isclose(yours, expected, rtol=0, atol=0.5e-3).all():
            note = "\nThey agree to three decimals: is something rounded, or added that is small?"
        words = f"{what} is not what it should be{where}; * marks what differs.{note}"
        raise Wrong(f"{words}\n\n{side_by_side(yours, expected, differs)}")


def rows_sum_to_one(what, weights):
    """No weight is negative, and each row sums to 1."""
    if (weights < 0).any():
        raise Wrong(f"{what}: some weights are negative.\n\n{table(weights)}")
    sums = weights.sum(axis=1)
    for row, total in enumerate(sums):
        if not abs(total - 1) <= TOLERANCE:  # "not <=", so that nan is caught too
            words = f"{what}: row {row} sums to {number(total, 6)}, and must sum to 1."
            if np.allclose(weights.sum(axis=0), 1):
                words += " (Your columns do sum to 1.)"
            raise Wrong(f"{words}\n\n{table(weights)}")


def exactly_zero(what, weights):
    """Not nearly zero: zero."""
    if weights.any():
        raise Wrong(f"{what} is {abs(weights).max():.3g}, and must be exactly 0.0.")


def unchanged(name, labels, arguments, **options):
    """The function leaves the arrays that it is given as they were."""
    given = [copied(argument) for argument in arguments]
    ask_as_they_are(name, *given, **options)
    for label, before, after in zip(labels, arguments, given, strict=True):
        if not np.array_equal(before, after):
            raise Wrong(f"{name} changes its argument {label}: please work on a copy of it.")


def everyday(*shape):
    """Some everyday numbers, the same in every run."""
    return np.random.default_rng(7).normal(size=shape)


# ---- Arrays as text ----


def side_by_side(yours, expected, differs):
    """Two equal shapes beside each other, with as many decimals as tell them apart."""
    decimals = 3
    while decimals < 9 and alike(yours, expected, differs, decimals):
        decimals += 3
    left = table(yours, differs, decimals).splitlines()
    right = table(expected, decimals=decimals).splitlines()
    width = max(map(len, ["yours", *left]))
    pairs = zip(["yours", *left], ["expected", *right], strict=True)
    return "\n".join(f"    {mine:<{width}}    {theirs}".rstrip() for mine, theirs in pairs)


def alike(yours, expected, differs, decimals):
    pairs = zip(yours[differs], expected[differs], strict=True)
    return any(number(a, decimals) == number(b, decimals) for a, b in pairs)


def table(array, marked=None, decimals=3):
    """Rows of equally wide cells; marked ones carry a *."""
    rows = np.atleast_2d(array)
    if rows.ndim > 2:
        rows = rows.reshape(-1, rows.shape[-1])
    stars = np.zeros(rows.shape, bool) if marked is None else marked.reshape(rows.shape)
    cells = [
        [number(value, decimals) + ("*" if star else " ") for value, star in zip(*row, strict=True)]
        for row in zip(rows, stars, strict=True)
    ]
    width = max((len(cell) for row in cells for cell in row), default=0)
    return "\n".join(" ".join(cell.rjust(width) for cell in row) for row in cells)


def number(value, decimals):
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return f"{value:.{decimals}f}" if abs(value) < 1e6 else f"{value:.{decimals}g}"


# ---- Finding and loading the student's functions ----

NOTEBOOK = None  # in a notebook: the names that its cells have defined
LOADED = {}  # function name -> the function, or the Wrong that it is
SETTINGS = {}  # what the student's files have set with np.seterr


def function_of(name):
    """A student's function, loaded once; Wrong where there is none to ask."""
    if NOTEBOOK is not None:
        if not callable(NOTEBOOK.get(name)):
            raise Wrong(f"{name} is not defined yet: run its cell.", is_of_bonus(name))
        return NOTEBOOK[name]
    if name not in LOADED:
        try:
            LOADED[name] = load(name)
        except Wrong as wrong:
            LOADED[name] = wrong
    if isinstance(LOADED[name], Wrong):
        raise LOADED[name]
    return LOADED[name]


def load(name):
    file = place_of(name)
    wrong = None
    with students_settings():
        try:
            module = importlib.import_module(file.stem)
        except (Exception, SystemExit) as error:
            wrong = Wrong(f"{file.name} cannot be imported.\n  {described(error)}")
    if wrong:
        raise wrong
    function = getattr(module, name, None)
    if not callable(function):
        raise Wrong(f"{name} in {file.name} is not a function.")
    return function


def place_of(name):
    """The file to ask, as the grader looks for it: the file of its name, unless that is missing,
    broken or still the stub; then the others in alphabetical order."""
    own = file_of(name)
    named = [path for path in students_files() if stands_for(path) == own]
    named.sort(key=lambda path: path.stem != own)
    others = [path for path in students_files() if path not in named]
    stub = broken = None
    for path in [*named, *others]:
        try:
            tree = ast.parse(utf8(path.read_bytes()))
        except (SyntaxError, ValueError) as error:
            if path in named:
                broken = Wrong(f"{path.name} cannot be imported.\n  {described(error, path.name)}")
            continue
        state = state_of(name, path.stem, tree)
        if state == "written":
            return path
        stub = stub or (state == "stub" and path)
    if broken:
        raise broken
    if stub:
        raise not_written(name, stub.name)
    if named:
        raise Wrong(f"{own}.py has no function called {name}: keep the name of the template.")
    raise Wrong(f"{own}.py is missing: it belongs into the folder of check.py.", is_of_bonus(name))


def file_of(name):
    """The name of the file in which a function is asked for, which is that of its exercise."""
    found = (own for own, module in exercises().items() if getattr(module, "FUNCTION", own) == name)
    return next(found, name)


def is_of_bonus(name):
    """Whether a function is one that nobody has to begin."""
    return file_of(name) in exercises() and is_bonus(exercises()[file_of(name)])


def stands_for(path):
    """The name that a copy was made of: softmax for "Softmax.py" and "softmax (1).py"."""
    return re.sub(r"( ?\(\d+\)|[ _-]\d+| -? ?copy.*)$", "", path.stem.lower().strip())


def not_written(name, file=None):
    where = "run its cell once you have" if NOTEBOOK is not None else f"open {file or name + '.py'}"
    return Wrong(f"{name} is not written yet: {where}.", not_written=True)


def students_files():
    """The .py files of this folder but for ours and for tests."""
    paths = sorted(HERE.glob("*.py"), key=lambda path: path.name.lower())
    return [path for path in paths if path.stem not in OURS and not path.name.startswith("test_")]


def state_of(name, module, tree):
    """Whether a file holds a function of this name: "written", "stub" or None."""
    state = None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name and node in tree.body:
            state = "stub" if all(map(does_nothing, node.body)) else "written"
        elif isinstance(node, ast.ClassDef) and node.name == name:
            state = "written"
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {part.id for target in targets for part in ast.walk(target) if is_name(part)}
            state = "written" if name in names and node in tree.body else state
        elif isinstance(node, ast.ImportFrom):
            # attention.py imports softmax from softmax.py: that is where it is, not here.
            kept = [a for a in node.names if name == (a.asname or a.name)]
            if kept and (node.module, kept[0].name) != (name, name):
                state = "written"
    return state


def is_name(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def does_nothing(node):
    """Part of a stub: a docstring, pass, ... or raise NotImplementedError."""
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def utf8(source):
    """A file as UTF-8: some editors save UTF-16, or the cp1252 of old Windows."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16").encode()
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        if not re.search(rb"coding[:=]", source[:200]):
            return source.decode("cp1252", "replace").encode()
    return source


SHIM = """

def {name}(*arguments, **options):
    import importlib
    return importlib.import_module({module!r}).{name}(*arguments, **options)
"""


class Loader(importlib.machinery.SourceFileLoader):
    """A file of the student's. Where softmax.py is a leftover stub, or is missing, and softmax is
    written elsewhere, then who imports it from softmax.py gets that one, as in the grade."""

    def get_data(self, path):
        file = Path(path)
        source = utf8(file.read_bytes()) if file.is_file() else b""
        elsewhere = written_elsewhere(self.name)
        if not elsewhere:
            return source
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            source = b""
        return source + SHIM.format(name=self.name, module=elsewhere).encode()

    def path_stats(self, path):
        # No compiled copy is read or kept: it would take two saves within a second for one.
        raise OSError


def written_elsewhere(name):
    """The module in which a function is found, if that is not the one of its name."""
    if name not in exercises():
        return None
    try:
        module = place_of(name).stem
    except Wrong:
        return None
    return module if module != name else None


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of this folder, and of nowhere else, ahead of installed ones."""

    def find_spec(self, name, path=None, target=None):
        file = HERE / f"{name}.py"
        if name == HERE.name:  # from hw3.softmax import softmax, in a folder hw3
            return importlib.machinery.PathFinder.find_spec(name, [str(HERE.parent)])
        if path is not None or not (file in students_files() or written_elsewhere(name)):
            return None
        return importlib.util.spec_from_file_location(name, file, loader=Loader(name, str(file)))


class students_settings:
    """While a student's code runs: their np.seterr, no warnings, their modules found."""

    def __enter__(self):
        self.ours = np.geterr()
        np.seterr(**SETTINGS)
        self.warnings = warnings.catch_warnings()
        self.warnings.__enter__()
        warnings.simplefilter("ignore")
        if NOTEBOOK is None and not any(isinstance(found, Finder) for found in sys.meta_path):
            sys.meta_path.insert(0, Finder())

    def __exit__(self, *error):
        SETTINGS.update(np.geterr())
        np.seterr(**self.ours)
        self.warnings.__exit__(None, None, None)


def student_place(error):
    """The (file name, line) in the student's work where an error arose; (None, None) if nowhere."""
    if isinstance(error, SyntaxError) and Path(error.filename or "").suffix == ".py":
        return Path(error.filename).name, error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.parent == HERE and path.stem not in OURS and path.suffix == ".py":
            return path.name, frame.lineno
        if NOTEBOOK is not None and NOTEBOOK.get(frame.name) is not None:
            return frame.name, frame.lineno
    return None, None


def described(error, file=None):
    """Such as "softmax.py, line 7: ValueError: ..."."""
    found, line = student_place(error)
    line = line or getattr(error, "lineno", None)
    place = f"{found or file}, line {line}: " if (found or file) and line else ""
    return f"{place}{type(error).__name__}: {getattr(error, 'msg', None) or error}"


# ---- The surroundings ----


def check_numpy():
    """NumPy is there, and is version 2 or newer."""
    if np is None:
        raise Wrong('NumPy is not installed here. To install it: python -m pip install "numpy>=2"')
    if Path(getattr(np, "__file__", None) or "").resolve().parent == HERE:
        raise Wrong("Your own numpy.py hides the real NumPy: please give that file another name.")
    if int(np.__version__.split(".")[0]) < 2:
        raise Wrong(
            f"Your NumPy is {np.__version__}, and these exercises are graded with NumPy 2.\n"
            'To upgrade: python -m pip install --upgrade "numpy>=2"'
        )


def check_imports():
    """Your files import NumPy, the standard library and each other only."""
    if NOTEBOOK is not None:
        return  # its cells may import what they like: what cannot be imported is left out
    complaints = []
    beside = {path.stem for path in [HERE, *students_files(), *HERE.iterdir()]} | {*exercises()}
    allowed = {"numpy"} | set(sys.stdlib_module_names) | beside
    for path in students_files():
        if path.stem in {"numpy", *sys.stdlib_module_names}:
            complaints.append(f"{path.name} hides another module of that name: rename it.")
        try:
            tree = ast.parse(utf8(path.read_bytes()))
        except (SyntaxError, ValueError):
            continue  # said where the function is asked
        for line, module in imports(tree):
            if module.partition(".")[0] not in allowed:
                complaints.append(
                    f"{path.name}, line {line}: imports {module}, "
                    "but only NumPy and the standard library are there when you are graded."
                )
    if complaints:
        raise Wrong("\n".join(complaints))


def imports(tree):
    """The (line, module) of every absolute import, but for those at the top that no function asked
    for here needs: the grader leaves them out."""
    needed = names_needed(tree) | {"*"}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        if node in tree.body and not names & needed:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif node.level == 0:
            yield node.lineno, node.module


def names_needed(tree):
    """The names that are read on import, or by an exercise's function and those that it calls."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    waiting = [functions[name] for name in {*exercises()} & {*functions} or functions]
    waiting += [node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.If))]
    needed = set()
    while waiting:
        read = {node.id for node in ast.walk(waiting.pop()) if isinstance(node, ast.Name)}
        waiting += [functions[name] for name in (read - needed) & {*functions}]
        needed |= read
    return needed


# ---- The exam: only the form of your answers, never whether they are right ----

QUOTES = "\"'\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a`\u00b4"
ID_LINE = re.compile(rf"\s*[{QUOTES}]?(\w{{1,20}})[{QUOTES}]?\s*[=:]+(.*)")
QUOTED = re.compile(rf"[{QUOTES}](.*?)[{QUOTES}][\s,;]*(#.*)?")
MINUS = str.maketrans("\u2212\u2013\u2012", "---")
NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+|\d*,\d+)(e[+-]?\d+)?"  # 12, 0.25, 0,25, 25e-2
    r"|[+-]?[1-9]\d{0,2}([,'\u2019 \u00a0\u202f])\d{3}(\3\d{3})*(\.\d*)?",  # 147,456
    re.IGNORECASE | re.ASCII,
)
FORMS = {
    "a letter": "one of the letters a to e",
    "a number": "a number, such as 12, 0.25 or 1/4",
    "a whole number": "a whole number, such as 12",
}


@dataclass
class Sheet:
    """The exam's answers by question; forms says what each question asks for, "a letter" say."""

    answers: dict
    forms: dict
    complaints: list

    def told(self):
        """Such as "12 of 18 answered", and which are not."""
        questions = self.forms or self.answers
        blank = [question for question in questions if not self.answers.get(question)]
        count = f"{len(questions) - len(blank)} of {len(questions)} answered"
        return f"{count}; still blank: {', '.join(blank)}" if 0 < len(blank) <= 6 else count


def read_exam():
    """The sheet in exam.toml, or the answers of a notebook; Wrong where it cannot be read."""
    if NOTEBOOK is not None:
        given = NOTEBOOK.get("answers", {})
        return checked(
            {str(key): str(value) for key, value in given.items()}, NOTEBOOK["EXAM_FORMS"]
        )
    path = HERE / "exam.toml"
    if not path.is_file():
        raise Wrong("exam.toml is missing: it belongs into the folder of check.py.")
    source = path.read_bytes()
    text = decoded(source)
    if text is None:
        raise Wrong("exam.toml is not plain text: save it as UTF-8.")
    answers, unread = {}, []
    for count, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if not bare or bare.startswith("#") or re.fullmatch(r"\[[\w.]+\]\s*(#.*)?", bare):
            continue
        found = ID_LINE.fullmatch(line)
        if not found or found[2].strip().startswith(("[", "{")):
            unread.append(f'exam.toml, line {count} cannot be read: write it like q01 = "b".')
            continue
        written = found[2].strip()
        quoted = QUOTED.fullmatch(written)
        answer = quoted[1] if quoted else written.partition("#")[0].strip(QUOTES + " \t,;")
        if answer.strip() or found[1] not in answers:
            answers[found[1]] = answer.strip()
    sheet = checked(answers, forms_of(text))
    sheet.complaints[:0] = unread
    return sheet


def decoded(source):
    """The text of UTF-8, Notepad's UTF-16 or Windows' cp1252; None for what is no text."""
    marks = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    first = (
        "utf-16-le" if source[1:2] == b"\0" else "utf-16-be" if source[:1] == b"\0" else "utf-8-sig"
    )
    encoding = marks.get(source[:2], first)
    for one in (encoding, "cp1252") if encoding == "utf-8-sig" else (encoding,):
        try:
            text = source.decode(one)
        except UnicodeDecodeError:
            continue
        if not re.search(r"[\x00-\x08\x0e-\x1f]", text):
            return text
    return None


def forms_of(text):
    """What each question asks for, by the comments of the sheet or by the page of the exam."""
    forms = dict(
        re.findall(
            r"^\s*(q\d+)\s*=.*#\s*(a letter|a number|a whole number|one of [a-z, ]+)\s*:",
            text,
            re.M,
        )
    )
    for page in (HERE / "assignments" / "exam.md", HERE.parent / "assignments" / "exam.md"):
        if page.is_file():
            for part in re.split(r"^\*\*(?=q\d+\.)", page.read_text(encoding="utf-8"), flags=re.M):
                asked = re.search(
                    r"^Answer: (one letter|one of the four words ([a-z, ]+)|a whole number|a)",
                    part,
                    re.M,
                )
                form = {
                    "one letter": "a letter",
                    "a whole number": "a whole number",
                    "a": "a number",
                }
                if asked and part.startswith("q"):
                    words = form.get(asked[1]) or f"one of {asked[2]}"
                    forms.setdefault(part.partition(".")[0], words)
            break
    return dict(sorted(forms.items()))


def checked(answers, forms):
    """The answers under the ids of the sheet (q1 is q01), with what is wrong with their form."""
    known = {plain_id(question): question for question in forms}
    found, complaints = {}, []
    for key, answer in answers.items():
        question = known.get(plain_id(key))
        if forms and question is None:
            complaints.append(f"{key} is no question of the exam.")
            continue
        found[question or key] = answer
        if answer and question and not has_form(forms[question], answer):
            complaints.append(
                f"{question} wants {FORMS.get(forms[question], forms[question])}, and not: {answer}"
            )
    return Sheet(found, forms, complaints)


def plain_id(key):
    return re.sub(r"(?<!\d)0+(?=\d)", "", key.strip().lower())


def has_form(form, answer):
    """Whether the grader can use an answer; it never tells whether it is right."""
    bare = answer.strip(QUOTES + " \t")
    if form == "a letter":
        named = re.fullmatch(
            r"(?:(?:option|answer|choice|letter)\b[\s:=]*)?(.*)", bare, re.I | re.S
        )
        if re.fullmatch(r"\(?[a-e][).:,;]*", named[1], re.I):
            return True
        words = len(re.findall(r"[a-z]{2,}", bare))
        # "b) ..." and an option's own text, which only the grader can look up.
        return bool(re.match(r"\(?[a-e](?:[).:]|\s-)", named[1], re.I)) or words > 2
    if form.endswith("number"):
        value = value_of(bare)
        return value is not None and (form == "a number" or value == int(value))
    if form.startswith("one of "):
        word = " ".join(bare.lower().split()).strip(".,;:!?() ").removeprefix("the ")
        return word in form.removeprefix("one of ").split(", ")
    return True


VULGAR = {
    ord(mark): f" {above}/{below}"
    for mark, above, below in zip("¼½¾⅓⅔", "11312", "42433", strict=True)
}


def value_of(text):
    """The value of 12, 0.25, 1/4, (1/4), 25%, 2 1/2 or ¼; None where the grader reads none."""
    bare = text.translate(MINUS).translate(VULGAR).strip()
    if bare.startswith("(") and bare.endswith((")", ").")):
        bare = bare.rstrip(".")[1:-1].strip()
    percent, bare = bare.endswith("%"), bare.removesuffix("%").rstrip()
    mixed = re.fullmatch(r"([+-]?)(\d{1,9})\s+(\d{1,9})\s*/\s*(\d{1,9})", bare, re.ASCII)
    if mixed:
        whole, above, below = map(int, mixed.groups()[1:])
        value = (whole + above / below) * (-1 if mixed[1] == "-" else 1) if below else None
    else:
        above, slash, below = bare.removesuffix(".").partition("/")
        value, divisor = decimal(above), decimal(below) if slash else 1.0
        value = value / divisor if value is not None and divisor else None
    if value is None or abs(value) == float("inf"):
        return None
    return value / 100 if percent else value


def decimal(text):
    """The value of one decimal; None where it is none, or more than Python's floats can hold."""
    text = text.strip().replace("_", "")
    if not NUMBER.fullmatch(text):
        return None
    grouped = re.fullmatch(
        r"[+-]?[1-9]\d{0,2}([,'\u2019 \u00a0\u202f])\d{3}(\1\d{3})*(\.\d*)?", text
    )
    value = float(text.replace(grouped[1], "") if grouped else text.replace(",", "."))
    return None if abs(value) == float("inf") else value


def check_exam():
    """The answers in exam.toml have the form that their questions ask for."""
    sheet = read_exam()
    if sheet.complaints:
        raise Wrong("\n".join(sheet.complaints))


# ---- Running the checks ----


@dataclass
class Check:
    """One check: its exercise ("" for the surroundings), its name, its docstring, its function."""

    exercise: str
    name: str
    title: str
    function: object


@dataclass
class Outcome:
    """What a check found; words are "" where it holds, again where they were said before."""

    check: Check
    words: str = ""
    not_written: bool = False
    again: bool = False


def exercises():
    """The modules of public/ by exercise, in the order of their NUMBER, bonus ones last."""
    found = {}
    for path in sorted((HERE / "public").glob("check_*.py")):
        name = path.stem.removeprefix("check_")
        spec = importlib.util.spec_from_file_location(f"public_{path.stem}", path)
        found[name] = sys.modules.get(spec.name)
        if found[name] is None:
            found[name] = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found[name])
    return dict(sorted(found.items(), key=lambda item: (is_bonus(item[1]), item[1].NUMBER)))


def is_bonus(module):
    return getattr(module, "BONUS", False)


def page_of(exercise):
    """The page of an exercise, as a path in assignments/."""
    return f"bonus/{exercise}.md" if is_bonus(exercises()[exercise]) else f"{exercise}.md"


def checks():
    """Every check, in the order in which they are worth reading."""
    found = [("", check_numpy), ("", check_imports)]
    if np is not None:
        for name, module in exercises().items():
            functions = (value for key, value in vars(module).items() if key.startswith("check_"))
            found += [(name, function) for function in functions]
    found.append(("exam", check_exam))
    return [
        Check(exercise, function.__name__.removeprefix("check_"), function.__doc__, function)
        for exercise, function in found
    ]


def run(exercise=None):
    """The outcome of every check, or of an exercise's. What was said before is marked as that."""
    outcomes, said = [], set()
    for check in checks():
        if exercise and check.exercise not in ("", exercise):
            continue
        try:
            check.function()
            outcomes.append(Outcome(check))
        except Wrong as wrong:
            words = str(wrong)
            outcomes.append(Outcome(check, words, wrong.not_written, words in said))
            said.add(words)
        if check.name == "numpy" and outcomes[-1].words:
            break  # nothing else can be asked
    return outcomes


def told(outcomes):
    """What main() prints: a line per exercise, then the first check that does not hold."""
    lines, earlier = [], ""
    for exercise in dict.fromkeys(outcome.check.exercise for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.check.exercise == exercise]
        held = sum(not outcome.words for outcome in mine)
        line = f"{exercise or 'surroundings':<14}{held} of {len(mine)} checks hold"
        if exercise == "exam" and not mine[0].words:
            line = f"{'exam':<14}{read_exam().told()}"
        elif mine[0].not_written or mine[-1].not_written:
            line = f"{exercise:<14}not written yet"
        elif held < len(mine) and earlier and exercise != "exam":
            line += f" (it may be {earlier} that is at fault: mend that first)"
        if held < len(mine) and not begins_no_bonus(mine[0]) and exercise not in ("", "exam"):
            earlier = earlier or exercise
        lines.append(line)
    failed = first_failed(outcomes)
    if failed and failed.not_written:
        lines += ["", failed.words, f"Its page is assignments/{page_of(failed.check.exercise)}."]
    elif failed:
        lines += ["", f"First: {failed.check.title}", "", failed.words]
    else:
        lines += ["", "All of these hold. The grader asks more: read your pages once again."]
    return "\n".join(lines)


def first_failed(outcomes):
    """The failed check to read first; a bonus exercise that is not begun is none."""
    for outcome in outcomes:
        if outcome.words and not begins_no_bonus(outcome):
            return outcome
    return None


def begins_no_bonus(outcome):
    """Whether a check does not hold only because its exercise is a bonus that is not begun."""
    module = exercises().get(outcome.check.exercise) if np else None
    return module is not None and is_bonus(module) and outcome.not_written


def notebook(names, exercise=None):
    """The same inside a notebook, for the functions and answers that its cells have defined."""
    global NOTEBOOK
    NOTEBOOK = names
    print(told(run(exercise)))


# ---- --watch, --plot, --zip ----


def watch():
    """Runs the checks in a process of their own whenever a file was saved, until Ctrl-C."""
    seen, process = None, None
    try:
        while True:
            now = stamps()
            if now != seen:
                if process and process.poll() is None:
                    process.kill()  # an endless loop, perhaps: the new version gets its turn
                print(f"\n---- {time.strftime('%H:%M:%S')} ----", flush=True)
                command = [sys.executable, str(HERE / "check.py")]
                process = subprocess.Popen(command, cwd=HERE, stdin=subprocess.DEVNULL)
                seen = now
            time.sleep(WATCH_SECONDS)
    except KeyboardInterrupt:
        print()
    finally:
        if process and process.poll() is None:
            process.kill()


def stamps():
    """When each file that matters was saved."""
    found = {}
    for path in [*HERE.glob("*.py"), HERE / "exam.toml"]:
        try:
            status = path.stat()
        except OSError:
            continue  # an editor is just replacing it
        found[path.name] = (status.st_mtime_ns, status.st_size)
    return found


def plot():
    """Your weights beside the workshop's: weights.png where matplotlib is there, or as text."""
    for module in exercises().values():
        if hasattr(module, "pictures"):
            pictures = module.pictures()
            print(draw(pictures) or "\n\n".join(as_blocks(*picture) for picture in pictures))
            return
    raise Wrong("No exercise has a picture here.")


def draw(pictures):
    """Heat maps in weights.png, shown below the cell in a notebook; "" without matplotlib."""
    try:
        import matplotlib

        if NOTEBOOK is None:
            matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return ""
    figure, axes = pyplot.subplots(1, len(pictures), figsize=(4 * len(pictures), 4))
    for axis, (title, labels, weights) in zip(np.atleast_1d(axes), pictures, strict=True):
        axis.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        axis.set_title(title)
        axis.set_xticks(range(len(labels)), labels)
        axis.set_yticks(range(len(labels)), labels)
        for (row, column), weight in np.ndenumerate(weights):
            colour = "white" if weight > 0.5 else "black"
            axis.text(column, row, f"{weight:.3f}", ha="center", va="center", color=colour)
    figure.tight_layout()
    figure.savefig(HERE / "weights.png")
    if NOTEBOOK is not None:
        pyplot.show()
    pyplot.close(figure)
    return "The picture is weights.png: your weights beside the workshop's."


def as_blocks(title, labels, weights):
    """A heat map of text: the larger a weight, the longer its bar."""
    mark = "\u2588" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    lines = [title, (" " * 8 + "".join(f"{label:<16}" for label in labels)).rstrip()]
    for label, row in zip(labels, weights, strict=True):
        bars = (mark * round(8 * min(max(w, 0), 1)) if w == w else "" for w in row)
        cells = (f"{w:.3f} {bar:<10}" for w, bar in zip(row, bars, strict=True))
        lines.append(f"{label:<8}{''.join(cells)}".rstrip())
    return "\n".join(lines)


def make_zip():
    """Writes submission.zip: your .py files and exam.toml. Says what is missing in it."""
    files = [
        path
        for path in sorted(HERE.rglob("*.py"))
        if not path.name.startswith("test_")
        and path != HERE / "check.py"
        and not any(
            part.startswith(".") or part in PYTHON_FOLDERS
            for part in path.relative_to(HERE).parts[:-1]
        )
    ]
    files += [path for path in [HERE / "exam.toml"] if path.is_file()]
    with zipfile.ZipFile(HERE / "submission.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(HERE).as_posix())
    print(f"submission.zip holds {', '.join(p.relative_to(HERE).as_posix() for p in files)}.")
    outcomes = run()
    for name, module in exercises().items():
        mine = [o for o in outcomes if o.check.exercise == name and o.words]
        if mine and not (is_bonus(module) and mine[0].not_written):
            first = mine[0].words.partition("\n")[0]
            print(f"  {name}: {first}")
    try:
        sheet = read_exam()
        print(f"  exam: {sheet.told()}.")
        for complaint in sheet.complaints:
            print(f"  exam: {complaint}")
    except Wrong as wrong:
        print(f"  exam: {wrong}")
    for path in sorted(HERE.glob("*.ipynb")):
        print(f"  {path.name} is not in it: if you worked there, hand in that file alone.")


def main(arguments=None):
    """The command; returns 0 where every check holds."""
    parser = argparse.ArgumentParser(description="Check your own work.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--watch", action="store_true", help="again each time you save")
    choice.add_argument("--plot", action="store_true", help="your weights beside the workshop's")
    choice.add_argument("--zip", action="store_true", help="make submission.zip")
    chosen = parser.parse_args(arguments)
    # A console that cannot show a sign shows a question mark, and does not stop the checks.
    sys.stdout.reconfigure(errors="replace")
    try:
        check_numpy()
        if chosen.watch:
            watch()
        elif chosen.plot:
            plot()
        elif chosen.zip:
            make_zip()
        else:
            outcomes = run()
            print(told(outcomes))
            return int(first_failed(outcomes) is not None)
    except Wrong as wrong:
        print(wrong)
        return 1
    except KeyboardInterrupt as stopped:
        file, line = student_place(stopped)
        print(f"\nStopped{f' in {file}, line {line}' if file else ''}.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
