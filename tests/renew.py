"""Writes the grade of golden folders anew, for review by `git diff`.

    .venv/bin/python -m tests.renew              # every folder: some three minutes
    .venv/bin/python -m tests.renew NAME...      # these

Kind, why and mistake stay as they are; misconceptions, scores and verdicts become what the grader
says now. A new folder needs its code and an expected.json with kind and why before it is named
here. What `git diff` shows afterwards is what a change did to the class: nothing is right because
it was renewed.
"""

import json
import sys

from autograder.judging.grading import grade
from tests.goldens import GOLDENS, as_expected


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in GOLDENS]
    if unknown:
        sys.exit(f"No folder tests/submissions/*/{unknown[0]} holds an expected.json.")
    changed = 0
    for name in names or GOLDENS:
        golden = GOLDENS[name]
        path = golden.folder / "expected.json"
        content = as_expected(golden, grade(golden.folder))
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            changed += 1
            print(f"{golden.kind}/{name} has another grade")
    print(f"{len(names or GOLDENS)} graded, {changed} changed: review them with git diff.")


if __name__ == "__main__":
    main(sys.argv[1:])
