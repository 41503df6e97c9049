"""Times `autograder grade` against a stock `otter run` with three tests, whole processes, in turn.

    make benchmark

Prints the median seconds of each and their ratio; a ratio above 1/3 ends with exit status 1.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
SUBMISSION = CHECKOUT / "tests" / "submissions" / "wrong" / "no-scaling"
BIN = Path(sys.executable).parent
ROUNDS = 5
MOST = 1 / 3

OTTER_TEST = """
OK_FORMAT = True
test = {{
    "name": "{name}",
    "points": 1,
    "suites": [{{"type": "doctest", "cases": [{{"code": ">>> {code}\\nTrue"}}]}}],
}}
"""
OTTER_CASES = {
    "rows": "bool(abs(softmax(np.array([[0.0, 1.0], [2.0, 3.0]])).sum(axis=1) - 1).max() < 1e-9)",
    "mask": "causal_mask(3).tolist() == [[j > i for j in range(3)] for i in range(3)]",
    "head": "attention(*[np.eye(3)] * 4, causal=True)[1][0].tolist() == [1.0, 0.0, 0.0]",
}


def stock_autograder(folder: Path) -> Path:
    """A zip as `otter generate` makes it, with three tests of this exercise."""
    tests = folder / "tests"
    tests.mkdir()
    for name, code in OTTER_CASES.items():
        (tests / f"{name}.py").write_text(OTTER_TEST.format(name=name, code=code))
    archive = folder / "autograder.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for test in tests.iterdir():
            file.write(test, f"tests/{test.name}")
        file.writestr("otter_config.json", json.dumps({"show_hidden": True}))
    return archive


def seconds(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = stock_autograder(folder)
        script = Path(shutil.copy(SUBMISSION / "attention.py", folder))
        otter = [str(BIN / "otter"), "run", "-a", str(archive), str(script)]
        ours = [str(BIN / "autograder"), "grade", str(SUBMISSION)]
        # In turn, so that whatever else the machine does hits both.
        pairs = [(seconds(ours, folder), seconds(otter, folder)) for _ in range(ROUNDS)]
    grade, run = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"autograder grade {grade:.2f} s, otter run {run:.2f} s, ratio {grade / run:.2f}")
    sys.exit(grade / run > MOST)


if __name__ == "__main__":
    main()
