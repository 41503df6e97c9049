"""What the students' own check.py says of submissions, as JSON lines:

    python tests/public_checks.py FOLDER...
    python tests/public_checks.py CATALOG.json    (submissions beside it: how many are told)

Each FOLDER is a submission; the template's check.py and public/ are put beside a copy of it. One
process per submission, forked from one that has loaded NumPy and nothing of a student's.
"""

import json
import os
import shutil
import signal
import subprocess
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
    failed = [found for found in failed if not check.begins_no_bonus(found)]
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


def judge(catalog: Path) -> None:
    """How many wrong ones are told something of the function that the catalog says is wrong."""
    entries = json.loads(catalog.read_text(encoding="utf-8"))
    command = [sys.executable, __file__, *(str(catalog.parent / one["name"]) for one in entries)]
    done = subprocess.run(command, check=True, capture_output=True)
    said = {found["name"]: found for found in map(json.loads, done.stdout.splitlines())}
    told = [one for one in entries if one["where"] in said[one["name"]]["failed"][:1]]
    for verdict in ("wrong", "right", "borderline"):
        of_it = [one for one in entries if one["verdict"] == verdict]
        silent = [one["name"] for one in of_it if one not in told]
        print(f"{verdict}: {len(of_it) - len(silent)} of {len(of_it)} told")
        if verdict == "wrong":
            print("  not told:", ", ".join(silent))


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].endswith(".json"):
        judge(Path(sys.argv[1]))
    else:
        main(sys.argv[1:])
