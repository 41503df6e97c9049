"""What the students' own check.py says of submissions, as JSON lines:

    python tests/public_checks.py FOLDER...

Each FOLDER is a submission; the template's check.py and public/ are put beside a copy of it. One
process per submission, forked from one that has loaded NumPy and nothing of a student's.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

TEMPLATE = Path(__file__).parent.parent / "student_template"
SECONDS = 20
sys.path.insert(0, str(TEMPLATE))

import check  # noqa: E402


def beside(submission: Path, folder: Path) -> Path:
    """A copy of the submission with check.py and its files beside it."""
    ignored = shutil.ignore_patterns("expected.json", "__pycache__")
    shutil.copytree(submission, folder, ignore=ignored)
    # A student has them beside the files, also where an upload has put folders around all of it.
    sources = [path for path in folder.rglob("*.py") if "__MACOSX" not in path.parts]
    if sources:
        folder = min(sources, key=lambda path: len(path.parts)).parent
    shutil.copytree(TEMPLATE / "public", folder / "public", dirs_exist_ok=True, ignore=ignored)
    for name in ("check.py", "test_public.py"):
        shutil.copy(TEMPLATE / name, folder)
    return folder


def survey(submission: Path, folder: Path) -> dict:
    """The exercises with a check that fails, and the first failure in words; no exam."""
    check.HERE = beside(submission, folder)
    os.chdir(check.HERE)
    failed = [found for found in check.run() if found.words and found.check.exercise != "exam"]
    return {
        "name": submission.name,
        "failed": list(dict.fromkeys(found.check.exercise for found in failed)),
        "first": failed[0].check.name if failed else None,
        "words": failed[0].words if failed else "",
    }


def main(folders: list[str]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        for count, submission in enumerate(map(Path, folders)):
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                signal.alarm(SECONDS)
                out = os.dup(1)
                silent = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silent, 1)  # what a student prints is not what this script says
                found = survey(submission.resolve(), Path(temporary) / str(count))
                os.write(out, (json.dumps(found) + "\n").encode())
                os._exit(0)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
