"""Runs one student's functions, alone in its process; the host asks over two pipes.

Executed by its path with `-s -S -B`. Imports the standard library and NumPy only, and of the
project nothing but locks.py and the two files that it reads. A frame is two lengths, a JSON header
and raw array bytes; nothing is pickled, and the host believes nothing that it has not checked.
"""

import builtins
import importlib.machinery
import importlib.util
import itertools
import json
import os
import runpy
import struct
import sys
import types

LENGTHS = struct.Struct(">II")
# Of what an exception says, so much is handed on.
MESSAGE = 200
# A reply that would not fit the host's cap is sent as its description alone.
NUMBERS_CAP = 1 << 20
REPLACEMENT = ("function", "source", "file", "loads")


def main():
    leave_out_own_folder()
    requests, replies = private_pipes()
    step = "its first message"
    try:
        configuration, _ = receive(requests)
        # The last but the student's own folders: links to NumPy, so nothing else is importable.
        sys.path.append(configuration["libraries"])
        step = "the import of NumPy"
        import numpy.ma

        loaded = make_ready(numpy)
        step = "the locks"
        lock = load_lock()
    except BaseException as error:
        # Python writes them to the grader, which alone reads along until here.
        raise SystemExit(f"{step} failed: {one_line(error)}") from error
    live(configuration, requests, replies, numpy, lock, loaded)


def leave_out_own_folder():
    """Off sys.path, where Python puts the folder of a script; -P is not there before 3.11, and -I
    would have the seed of all hashes be another one each time."""
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(__file__)]


def load_lock():
    """What closes the locks; read now, since the files are out of reach once they are closed."""
    return runpy.run_path(os.path.join(os.path.dirname(__file__), "locks.py"))["lock"]


def make_ready(numpy):
    """Loads what every guest needs beside NumPy; returns the modules that were there before."""
    loaded = frozenset(sys.modules)
    import numpy.random

    # OpenBLAS takes its buffer now: later, where it found no memory for it, it would end the
    # process or try for ever, and nobody would learn that the memory was full.
    numpy.ones((8, 8)) @ numpy.ones((8, 8))
    return loaded


def seed(numpy):
    """What is drawn without a seed of the student's own is the same in every grading."""
    import random

    random.seed(0)
    numpy.random.seed(0)


def live(configuration, requests, replies, numpy, lock, loaded):
    """Closes the locks, then answers until the host has no more to ask."""
    step = "the locks"
    try:
        held = lock(**configuration["locks"])
        step = "the folder of the submission"
        folder = configuration["folder"]
        sys.path += [os.path.join(folder, part) for part in configuration["folders"]]
        os.chdir(folder)
        seed(numpy)
        guest = Guest(folder, numpy)
        guest.prefer_own_modules(loaded)
    except BaseException as error:
        # Python writes them to the grader, which alone reads along until here.
        raise SystemExit(f"{step} failed: {one_line(error)}") from error
    os.dup2(1, 2)
    send(replies, {"id": 0, "isolation": held})
    while True:
        frame = receive(requests)
        if frame is None:
            return
        header, body = frame
        answer, data = guest.answer(header, body)
        send(replies, {"id": header["id"], **answer}, data)


def private_pipes():
    """Takes the pipes off descriptors 0 and 1, where prints and input() would meet them.

    Descriptor 2 leads to the grader until the locks are closed.
    """
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    return requests, replies


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


def receive(pipe):
    """The next frame as (header, body), or None at the end."""
    lengths = pipe.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    header, body = LENGTHS.unpack(lengths)
    return json.loads(pipe.read(header)), bytearray(pipe.read(body))


def send(pipe, header, body=b""):
    encoded = json.dumps(header).encode()
    pipe.write(LENGTHS.pack(len(encoded), len(body)) + encoded + body)
    pipe.flush()


class Guest:
    """The student's loaded files, and how to answer each kind of request."""

    def __init__(self, folder, numpy):
        self.folder = folder
        self.encoder = Encoder(numpy)
        self.numpy = numpy
        self.modules = {}
        self.replacements = {}
        self.replaced = {}
        self.kept = {}

    def answer(self, header, body):
        try:
            if header["ask"] == "replace":
                return self.replace(**{name: header[name] for name in REPLACEMENT})
            if header["ask"] == "load":
                return self.load_all(header["file"])
            return self.call(header, body)
        except BaseException as error:
            return {**self.raised(error), "message": message(header, error)}, b""

    def load_all(self, file):
        """Imports a file; the right helpers then take their places in all that it brought in."""
        self.load(file)
        for function, right, replaced in self.replacements.values():
            for module in self.student_modules():
                for name, value in list(vars(module).items()):
                    named = name == function and not isinstance(value, types.ModuleType)
                    if named or (replaced is not None and value is replaced):
                        setattr(module, name, right)
                    elif isinstance(value, types.FunctionType) and replaced is not None:
                        replace_defaults(value, replaced, right)
        return {"kind": "loaded"}, b""

    def load(self, file):
        if file not in self.modules:
            name = os.path.splitext(os.path.basename(file))[0]
            path = os.path.join(self.folder, file)
            loaded = sys.modules.get(name)
            foreign = loaded is not None or name in sys.stdlib_module_names
            if foreign and getattr(loaded, "__file__", None) != path:
                name = "student_" + name
                loaded = sys.modules.get(name)
            if getattr(loaded, "__file__", None) != path:
                loader = importlib.machinery.SourceFileLoader(name, path)
                spec = importlib.util.spec_from_loader(name, loader)
                assert spec is not None
                loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
                try:
                    loader.exec_module(loaded)
                except BaseException:
                    del sys.modules[name]
                    raise
            self.modules[file] = loaded
        return self.modules[file]

    def prefer_own_modules(self, loaded):
        """Has the student's files import code.py beside them, and not Python's own module code.

        loaded are the modules that Python and NumPy have at home too once they have started.
        """
        standard = sys.stdlib_module_names - {*sys.builtin_module_names}
        files = [name for name in os.listdir(self.folder) if name.endswith(".py")]
        # One that Python has loaded already is Python's own at home too, whatever lies beside.
        own = {name[:-3]: name for name in files if name[:-3] in standard - loaded}
        python_import = builtins.__import__

        def import_own(name, globals=None, locals=None, fromlist=(), level=0):
            importer = (globals or {}).get("__file__")
            if name in own and not level and str(importer).startswith(self.folder + os.sep):
                return self.load(own[name])
            return python_import(name, globals, locals, fromlist, level)

        if own:
            builtins.__import__ = import_own

    def replace(self, function, source, file, loads):
        """Puts a right helper in the place of a failed one, or of its whole file."""
        made = types.ModuleType(function)
        exec(source, vars(made))
        right, replaced = getattr(made, function), None
        if not loads:
            for name in {function, os.path.splitext(os.path.basename(file))[0]}:
                module = self.replaced.setdefault(name, types.ModuleType(name))
                setattr(module, function, right)
                sys.modules[name] = module
        else:
            replaced = getattr(self.load(file), function, None)
            redirect(replaced, right)
        self.replacements[function] = (function, right, replaced)
        return {"kind": "loaded"}, b""

    def student_modules(self):
        return [
            module
            for module in list(sys.modules.values())
            if (getattr(module, "__file__", None) or "").startswith(self.folder + os.sep)
        ]

    def call(self, header, body):
        function = getattr(self.load(header["file"]), header["function"])
        arguments, offset = [], 0
        for item in header["arguments"]:
            if "integer" in item:
                arguments.append(item["integer"])
                continue
            if "boolean" in item:
                arguments.append(item["boolean"])
                continue
            if "kept" in item:
                results = self.kept[item["kept"]]
                alone = not isinstance(results, (tuple, list))
                arguments.append(results if alone else results[item["item"]])
                continue
            array = self.numpy.frombuffer(
                body, item["dtype"], self.encoder.count(item["shape"]), offset
            )
            arguments.append(array.reshape(item["shape"]))
            offset += array.nbytes
        before = [self.as_bytes(argument) for argument in arguments]
        value = function(*arguments, **header["keywords"])
        changed = [
            position
            for position, argument in enumerate(arguments)
            if self.as_bytes(argument) != before[position]
        ]
        if header["keep"]:
            self.kept[header["id"]] = value
        return self.encoder.encode(value, changed, header["most"])

    def as_bytes(self, argument):
        return argument.tobytes() if isinstance(argument, self.numpy.ndarray) else b""

    def raised(self, error):
        """The built-in class of an exception and the student's line, never its words."""
        ancestors = (c.__name__ for c in type(error).__mro__ if vars(builtins).get(c.__name__) is c)
        name = next(ancestors, "Exception")
        file, line = "", 0
        trace = error.__traceback__
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if path.startswith(self.folder + os.sep):
                file, line = path[len(self.folder) + 1 :], trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename:
            inside = error.filename.startswith(self.folder + os.sep)
            file = error.filename[len(self.folder) + 1 :] if inside else file
            line = (error.lineno or 0) if inside else line
        return {"kind": "raised", "error": name, "file": file, "line": line}


def message(header, error):
    """An exception's own words, where the input is no secret."""
    try:
        return str(error)[:MESSAGE] if header.get("public") else ""
    except Exception:
        return ""


def replace_defaults(function, replaced, right):
    """Puts the right helper where a function took the failed one as a default."""
    old = function.__defaults__ or ()
    function.__defaults__ = tuple(right if value is replaced else value for value in old) or None
    for name, value in (function.__kwdefaults__ or {}).items():
        if value is replaced:
            function.__kwdefaults__[name] = right


def redirect(function, right):
    """Makes a plain function do what another does, for whoever took it as a default or a part."""
    if isinstance(function, types.FunctionType) and not function.__closure__:
        name = "right helper " + function.__name__
        sys.modules[name] = right
        source = f"lambda *args, **named: __import__('sys').modules[{name!r}](*args, **named)"
        function.__code__ = eval(source).__code__
        function.__defaults__ = function.__kwdefaults__ = None


class Encoder:
    """Writes what a function returned as raw bytes, with the form in which it came."""

    def __init__(self, numpy):
        self.numpy = numpy
        # NumPy loads it when it is first named: now, while the student's code has spoilt no path.
        self.masked = numpy.ma.MaskedArray

    def encode(self, value, changed, most=NUMBERS_CAP):
        """(header, body): one item, or the items of a sequence that holds arrays."""
        form = ""
        if isinstance(value, types.GeneratorType):
            value, form = list(itertools.islice(value, 8)), "other"
        items = [value]
        if isinstance(value, (tuple, list)) and self.holds_arrays(value):
            items = list(value)[:8]
        # Others are read through like a pair; that they are none is a fault of form.
        elif isinstance(value, dict) and value:
            items, form = list(value.values())[:8], "dict"
        elif self.is_plain_object(value):
            items, form = list(vars(value).values())[:8], "other"
        described = [self.item(item) for item in items]
        if form:
            described = [({**description, "type": form}, data) for description, data in described]
        body = b"".join(data for _, data in described)
        header = {
            "kind": "returned",
            "items": [description for description, _ in described],
            "changed": changed,
        }
        if sum(self.count(description.get("shape", [0])) for description, _ in described) > most:
            header["items"] = [{"type": "too_large"} for _ in items]
            body = b""
        return header, body

    def is_plain_object(self, value):
        """An object of a class of the student's own that holds its results, and is no array."""
        own = None if isinstance(value, self.numpy.ndarray) else getattr(value, "__dict__", None)
        return type(own) is dict and any(
            isinstance(item, self.numpy.ndarray) for item in own.values()
        )

    def holds_arrays(self, sequence):
        """A pair of results, as opposed to the rows of one array written as a list."""
        if any(isinstance(item, self.numpy.ndarray) and item.ndim > 1 for item in sequence):
            return True
        try:
            return self.numpy.asarray(sequence).ndim > 2
        except ValueError:
            return True

    def item(self, value):
        np = self.numpy
        kind = self.type_name(value)
        try:
            if isinstance(value, self.masked):
                value = np.ma.filled(value, 0)
            array = np.ndarray.view(value, np.ndarray) if isinstance(value, np.ndarray) else None
            if array is None:
                array = np.asarray(value)
            dtype = array.dtype.name
            if array.dtype.kind == "b":
                array = np.ascontiguousarray(array, dtype="|b1")
            elif array.dtype.kind in "iu":
                array = np.ascontiguousarray(array, dtype="<i8")
            elif array.dtype.kind in "fO" and value is not None:
                array = np.ascontiguousarray(array, dtype="<f8")
            else:
                return {"type": kind}, b""
        except Exception:
            return {"type": kind}, b""
        # ascontiguousarray makes a 0-dimensional array 1-dimensional.
        shape = list(array.shape)
        return {
            "type": kind,
            "dtype": dtype,
            "shape": shape,
            "as": array.dtype.str,
        }, array.tobytes()

    def type_name(self, value):
        """One of a fixed set of words: a class's own name could carry hidden input."""
        np = self.numpy
        for known in (np.ndarray, np.matrix, self.masked, list, tuple, dict, str):
            if type(value) is known:
                return known.__name__
        if value is None:
            return "None"
        if isinstance(value, np.ndarray):
            return "subclass"
        if isinstance(value, (bool, int, float, np.generic)):
            return "number"
        return "other"

    def count(self, shape):
        product = 1
        for length in shape:
            product *= length
        return product


if __name__ == "__main__":
    main()
