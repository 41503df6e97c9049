"""The command `autograder`."""

import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from autograder.intake.naming import is_litter, plain
from autograder.intake.submission import members
from autograder.judging.grading import grade as grade_one
from autograder.manifest import load_manifest
from autograder.renderers.console import show_report, show_summary
from autograder.renderers.feedback import feedback
from autograder.renderers.gradebook import write_grades
from autograder.renderers.gradescope import (
    FAULT,
    UNFINISHED,
    no_results,
    results,
    write_json,
    write_results,
)
from autograder.report import GraderError, Report


@click.group()
@click.version_option(package_name="attention-autograder")
def main() -> None:
    """Grades the self-attention exercises."""
    if os.name != "posix":
        raise click.UsageError("grading runs on Linux and macOS; on Windows, use WSL.")
    # `timeout` and `docker stop` end it as Ctrl-C does: guests and their folders go too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Only JSON on stdout: a report, or a list.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write grades.csv, results/ (Gradescope's form) and feedback/ (for students) here.",
)
@click.option(
    "--live-kernel", is_flag=True, help="Ask the installed torch, not its captured values."
)
def grade(paths: tuple[Path, ...], as_json: bool, out: Path | None, live_kernel: bool) -> None:
    """Grades each PATH: a submission (folder, .zip or .py), or a folder that holds a class."""
    if live_kernel and importlib.util.find_spec("torch") is None:
        raise click.UsageError("--live-kernel asks PyTorch: pip install torch==2.13.0 first.")
    if out and out.resolve() in [path.resolve() for path in paths]:
        raise click.UsageError("--out wants a folder of its own, not the one with the submissions.")
    submissions, several = gather(paths)
    folder = OutFolder(out) if out else None
    reports: list[Report] = []
    faults = 0
    with progress_bar(len(submissions), shown=several and not as_json) as advance:
        for name, path in submissions.items():
            try:
                report = grade_one(path, folder.keeper(name) if folder else ignore, live_kernel)
                report.submission = name
                reports.append(report)
                if folder:
                    folder.add(report)
            except GraderError as error:
                faults += 1
                click.echo(f"grader_error: {name} has no grade. {error}", err=True)
                if folder:
                    folder.refuse(name)
            except OSError as error:
                faults += 1
                click.echo(f"grader_error: {name} could not be written. {error}", err=True)
            advance(name)
    show(reports, several, as_json)
    sys.exit(1 if faults else 0)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Only JSON on stdout.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the matrix as a page."
)
def verify(as_json: bool, html: Path | None) -> None:
    """The gate: proves that the hidden tests judge well. Needs a checkout."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    progress = Console(stderr=True)
    with authoring(), progress.status("") as status:
        from autograder.authoring.matrix import show_verification, write_page
        from autograder.authoring.verify import verify as run_gate

        found = run_gate(lambda name: status.update(f"checking {name}"))
        if html:
            write_page(found, html)
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=1))
    else:
        show_verification(found, console)
    sys.exit(0 if found.holds else 1)


@main.command()
@click.option("--seed", help="The same text gives the same draw; without it, a secret one.")
@click.option(
    "--same-draw", is_flag=True, help="Prove changes made by hand; inputs, questions and key stay."
)
def regenerate(seed: str | None, same_draw: bool) -> None:
    """Draws new hidden tests and a new exam, and puts them in place once they are proved."""
    if same_draw and seed is not None:
        raise click.UsageError("--same-draw takes the seed of the draw that is here.")
    with authoring():
        from autograder.authoring.regenerate import SECRET, prove_changes
        from autograder.authoring.regenerate import regenerate as draw

        click.echo(prove_changes() if same_draw else draw(seed), nl=False)
    if same_draw:
        click.echo("Proved on the draw that was here; inputs, questions and key are the same.")
    elif seed is None:
        click.echo(f"Drawn from 128 secret bits, kept in {SECRET.name}, which git ignores.")
    else:
        click.echo("Whoever knows or guesses this seed can compute the exam's key.")


@main.command()
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A folder."
)
@click.option("--with-kernel", is_flag=True, help="Install torch too, and ask it at grading.")
def bundle(out: Path, with_kernel: bool) -> None:
    """Writes OUT/autograder.zip, for Gradescope and otter, and OUT/student_template.zip."""
    with authoring():
        from autograder.authoring.bundle import bundle as write_zips

        for line in write_zips(out, with_kernel):
            click.echo(line)


@contextmanager
def authoring() -> Iterator[None]:
    """What instructors run ends in words: in a checkout only, and with torch."""
    try:
        yield
    except GraderError as error:
        click.echo(f"autograder: {error}", err=True)
        sys.exit(1)
    except ImportError as error:
        name = error.name or ""
        if name.startswith("autograder."):
            words = "authoring works in a checkout only: this copy has no tools for it."
        else:
            words = f"{name} is missing; `make test` installs it."
        click.echo(f"autograder: {words}", err=True)
        sys.exit(1)


def gather(paths: tuple[Path, ...]) -> tuple[dict[str, Path], bool]:
    """Every submission under a name of its own, and whether the answer is a list."""
    found: list[Path] = []
    several = len(paths) > 1
    for path in paths:
        if path.is_file() and path.suffix.lower() not in (".py", ".zip"):
            raise click.UsageError(f"{path} is no submission: give a folder, a .zip or a .py.")
        if not os.access(path, os.R_OK):
            raise click.UsageError(f"{path} cannot be read: check its permissions.")
        members_of_class = members(path, load_manifest())
        if members_of_class is not None:
            tell_skipped(path, members_of_class)
        elif path.is_dir():
            tell_if_mixed(path)
        several = several or members_of_class is not None
        found += members_of_class or [path]
    named: dict[str, Path] = {}
    for path in found:
        resolved = path.resolve()
        name = plain(resolved.name if resolved.is_dir() else resolved.stem)
        number = 2
        unique = name
        while unique in named:
            unique, number = f"{name}-{number}", number + 1
        named[unique] = path
    return named, several


def tell_if_mixed(folder: Path) -> None:
    """A class in which only one handed in the functions looks like one student's work."""
    parts = [child for child in folder.iterdir() if child.is_dir() and not is_litter(child.name)]
    if len(parts) > 1 and not any(folder.glob("*.py")):
        click.echo(
            f"{plain(folder.name)} is graded as one submission, since no two of its folders define "
            f"the same function. If it is a class, give its folders: {folder}/*",
            err=True,
        )


def tell_skipped(folder: Path, members_of_class: list[Path]) -> None:
    """Whatever else lies in a class folder is named: it may be somebody's work."""
    skipped = {*folder.iterdir()} - {*members_of_class}
    names = sorted(plain(path.name) for path in skipped if not is_litter(path.name))
    if names:
        click.echo(f"not graded, being no folder, .zip or .py: {', '.join(names)}", err=True)


def show(reports: list[Report], several: bool, as_json: bool) -> None:
    if as_json:
        content = [report.as_json() for report in reports]
        click.echo(json.dumps(content if several else next(iter(content), None), indent=1))
        return
    # In a pipe nothing says how wide a line may be: wide enough for a table not to wrap.
    console = Console(width=None if sys.stdout.isatty() else 160)
    if several:
        show_summary(reports, console)
    else:
        for report in reports:
            show_report(report, console)


def ignore(report: Report) -> None:
    """No --out: nobody reads a report before it is complete."""


class OutFolder:
    """--out: grades.csv, results/<name>.json and feedback/<name>.md."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: list[Report] = []
        self.begun: set[str] = set()
        try:
            for part in ("results", "feedback"):
                (folder / part).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.UsageError(f"cannot write to {folder}: {error.strerror}.") from error

    def results(self, name: str) -> Path:
        return self.folder / "results" / f"{name}.json"

    def keeper(self, name: str) -> Callable[[Report], None]:
        """Writes the results as they come; over an earlier grade, only once they are whole."""
        if self.results(name).exists():
            return ignore
        self.begun.add(name)
        return lambda report: write_json(results(report, UNFINISHED), self.results(name))

    def refuse(self, name: str) -> None:
        """Nothing of a run in which the grader failed may read as a grade."""
        if name in self.begun:
            write_json(no_results(FAULT), self.results(name))

    def add(self, report: Report) -> None:
        self.reports.append(report)
        write_results(report, self.results(report.submission))
        text = feedback(report)
        (self.folder / "feedback" / f"{report.submission}.md").write_text(text, encoding="utf-8")
        write_grades(self.reports, self.folder / "grades.csv")


@contextmanager
def progress_bar(total: int, shown: bool) -> Iterator[Callable[[str], None]]:
    """On stderr, so that a pipe gets the table alone."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("", total=total)
        yield lambda name: progress.update(task, advance=1, description=name)
