"""The command `autograder`."""

import importlib.util
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.batch import Known, grade_all, nothing_known
from autograder.compare import moved
from autograder.files import UnreadableError
from autograder.graded import ABSENT, GradedFolder, read_outcomes
from autograder.intake.classes import (
    Found,
    Member,
    find,
    find_loose,
    holds_ours,
    is_named_file,
    told_apart,
)
from autograder.intake.roster import match, read_roster
from autograder.manifest import load_manifest
from autograder.renderers.console import show_report, show_summary
from autograder.report import GraderError, Outcome
from autograder.sandbox.cleanup import clear_stale, scratch_folder
from autograder.similar import alike

# What `make authoring` installs beside the grader.
AUTHORING_PACKAGES = ("torch", "jinja2")


@click.group()
@click.version_option(package_name="attention-autograder")
def main() -> None:
    """Grades the self-attention exercises."""
    if os.name != "posix":
        raise click.UsageError("grading runs on Linux and macOS; on Windows, use WSL.")
    # `timeout` and `docker stop` end it as Ctrl-C does: guests and their folders go too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        clear_stale(tempfile.gettempdir())
    except OSError as error:
        click.echo(f"grader_error: the folder for temporary files is of no use. {error}", err=True)
        sys.exit(1)
    try:
        load_manifest()
    except GraderError as error:
        click.echo(f"grader_error: {error}", err=True)
        sys.exit(1)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Only JSON on stdout: a report, or a list.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write grades.csv, results/ (Gradescope's form) and feedback/ (for students) here.",
)
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV of who should have handed in, as Canvas, Gradescope or Moodle export it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="So many submissions at a time; one per core if not given.",
)
@click.option("--force", is_flag=True, help="Grade again what OUT has a grade of already.")
@click.option("--scheduler", help="Grade on the Dask cluster at this address.")
@click.option("--one", is_flag=True, help="Each PATH is one student's work, whatever it holds.")
@click.option(
    "--live-kernel", is_flag=True, help="Ask the installed torch, not its captured values."
)
def grade(
    paths: tuple[Path, ...],
    as_json: bool,
    out: Path | None,
    roster: Path | None,
    jobs: int,
    force: bool,
    scheduler: str | None,
    one: bool,
    live_kernel: bool,
) -> None:
    """Grades each PATH: a submission (folder, .zip or .py), or a class of them."""
    if live_kernel and importlib.util.find_spec("torch") is None:
        raise click.UsageError("--live-kernel asks PyTorch: pip install torch==2.13.0 first.")
    if out and out.resolve() in [path.resolve() for path in paths]:
        raise click.UsageError("--out wants a folder of its own, not the one with the submissions.")
    with scratch_folder("autograder-class-") as scratch:
        members, several = gather(paths, one, scratch)
        members, absent = enrolled(members, roster)
        several = several or roster is not None
        folder = open_folder(out) if out else None
        if folder:
            members = folder.claim(members)
        order = [member.name for member in [*members, *absent]]
        outcomes: list[Outcome] = []

        def tell(outcome: Outcome) -> None:
            with stops_later():
                keep(outcome, folder)
                outcomes.append(outcome)

        known = folder.known if folder and not force else nothing_known
        try:
            with progress_bar(len(members), shown=several and not as_json) as progress:
                grade_members(members, progress(tell), jobs, known, live_kernel, scheduler)
            for member in absent:
                tell(Outcome(member.name, member.students, None, ABSENT))
        except KeyboardInterrupt:
            sys.exit(130)
        except GraderError as error:
            click.echo(f"grader_error: nobody has a grade. {error}", err=True)
            sys.exit(1)
        finally:
            if folder:
                write_table(folder, order)
    outcomes.sort(key=lambda outcome: order.index(outcome.name))
    show(outcomes, several, as_json)
    sys.exit(1 if any(outcome.status == "grader_error" for outcome in outcomes) else 0)


def grade_members(
    members: list[Member],
    progress: tuple[Callable[[Outcome], None], Callable[[Sequence[str]], None]],
    jobs: int,
    known: Known,
    live_kernel: bool,
    scheduler: str | None,
) -> None:
    tell, watch = progress
    if scheduler is None:
        grade_all(members, tell, jobs, known, watch, live_kernel)
        return
    try:
        from autograder.cluster import grade_on_cluster
    except ImportError as error:
        raise click.UsageError(f"{error.name} is missing: pip install '.[cluster]'.") from error
    grade_on_cluster(members, tell, scheduler, known, live_kernel)


@contextmanager
def stops_later() -> Iterator[None]:
    """A signal waits until all of an outcome is kept: what is finished is not lost by half.

    By handlers: a signal that this thread blocks would come through another one, as the bar's.
    """
    came: list[int] = []
    stopping = (signal.SIGINT, signal.SIGTERM)
    usual = {number: signal.signal(number, lambda got, _: came.append(got)) for number in stopping}
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def keep(outcome: Outcome, folder: GradedFolder | None) -> None:
    """Writes what came of one member; a fault of the grader is told at once."""
    if outcome.status == "grader_error":
        click.echo(f"grader_error: {outcome.name} has no grade. {outcome.fault}", err=True)
        outcome.fault = in_short(outcome.fault)
    if folder:
        try:
            folder.add(outcome)
        except OSError as error:
            outcome.status, outcome.fault = "grader_error", f"it could not be written: {error}"
            click.echo(f"grader_error: {outcome.name} could not be written. {error}", err=True)


def write_table(folder: GradedFolder, order: list[str]) -> None:
    """grades.csv, also of a run that was stopped: what was finished is in it."""
    try:
        folder.write_table(order)
    except UnreadableError as error:
        click.echo(f"grader_error: grades.csv stays as it was. {error}", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"grader_error: grades.csv could not be written. {error}", err=True)
        sys.exit(1)
    tell_kept(folder)


def in_short(fault: str) -> str:
    """The first and the last line of a fault: between them stands a traceback, told on stderr."""
    lines = fault.strip().splitlines() or [""]
    return lines[0] if len(lines) == 1 else f"{lines[0]} {lines[-1]}"


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def report(folder: Path) -> None:
    """Writes FOLDER/report.html on a class that was graded with --out FOLDER: one page."""
    try:
        from autograder.renderers.class_report import write_report
    except ImportError as error:
        raise click.UsageError(f"{error.name} is missing: pip install '.[report]'.") from error
    outcomes = outcomes_of(folder)
    groups = alike({outcome.name: outcome.report.shape for outcome in outcomes if outcome.report})
    page = folder / "report.html"
    try:
        write_report(outcomes, groups, page)
    except OSError as error:
        raise click.UsageError(f"cannot write {page}: {error.strerror}.") from error
    click.echo(f"{page}: {len(outcomes)} submissions")


@main.command()
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
def compare(old: Path, new: Path) -> None:
    """What moved between two graded folders: each changed score or verdict, with its cause."""
    for line in moved(outcomes_of(old), outcomes_of(new)):
        click.echo(line)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Only JSON on stdout.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the matrix as a page."
)
def verify(as_json: bool, html: Path | None) -> None:
    """The gate: proves that the hidden tests judge well. Needs a checkout."""
    console = Console(width=None if sys.stdout.isatty() else 80)
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


@main.command()
@click.argument("name")
def new(name: str) -> None:
    """Begins a bonus exercise: a small one that works, in a room of its own."""
    with authoring():
        from autograder.authoring.new import new as begin

        for line in begin(name):
            click.echo(line)


@contextmanager
def authoring() -> Iterator[None]:
    """What instructors run ends in words: in a checkout only, and with torch."""
    try:
        yield
    except GraderError as error:
        click.echo(f"autograder: {error}", err=True)
        sys.exit(1)
    except (ImportError, SyntaxError) as error:
        click.echo(f"autograder: {import_fault(error)}", err=True)
        sys.exit(1)
    except OSError as error:
        # An OSError does not tell whether its file was read or written; its reason does.
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"autograder: {where}{error.strerror or error}.", err=True)
        sys.exit(1)


def import_fault(error: ImportError | SyntaxError) -> str:
    """What is missing, in words: a package, the tools of a checkout, or what a typo names."""
    if importlib.util.find_spec("autograder.authoring") is None:
        return "authoring works in a checkout only: this copy has no tools for it."
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: {error.msg}."
    if error.name in AUTHORING_PACKAGES:
        return f"{error.name} is missing; `make authoring` installs it."
    importing = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename
    ]
    return f"{importing[-1].filename}, line {importing[-1].lineno}: {error}."


def gather(paths: tuple[Path, ...], one: bool, scratch: Path) -> tuple[list[Member], bool]:
    """Every submission under a name of its own, and whether the answer is a list."""
    manifest = load_manifest()
    loose = Found([]) if one else find_loose([*paths], manifest, scratch)
    found = list(loose.members)
    remarks = list(loose.remarks)
    given = [*paths]
    if found:
        given = [path for path in paths if path.is_dir() or not is_named_file(path)]
    several = len(paths) > 1
    for path in given:
        reason = "" if one and path.is_dir() else objection(path, paths)
        if reason and len(paths) == 1:
            raise click.UsageError(f"{path} {reason}")
        if reason:
            remarks.append(f"{path} {reason}")
            continue
        here = find(path, manifest, scratch, one)
        found += [with_origin(member, path, here.is_class) for member in here.members]
        remarks += here.remarks
        several = several or here.is_class
    for remark in remarks:
        click.echo(remark, err=True)
    if not found:
        raise click.UsageError("there is no submission in what was given.")
    return told_apart(found), several


def with_origin(member: Member, path: Path, is_class: bool) -> Member:
    """Where a member came from, whether it was given alone or with its class."""
    whole = path.resolve()
    return replace(member, origin=str(whole / member.name if is_class else whole))


def objection(path: Path, given: tuple[Path, ...]) -> str:
    """Why a path is no submission; empty where it is one."""
    names = (".py", ".zip", ".ipynb", ".py.txt")
    if path.is_file() and not path.name.lower().endswith(names):
        return "is no submission: give a folder, a .zip or a .py."
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        return "cannot be read: check its permissions."
    # In CLASS/* it is somebody's, and gets its 0.
    beside = [other for other in given if other != path and other.parent == path.parent]
    if path.is_dir() and not beside and not holds_ours(path, load_manifest()):
        return "is no submission: nothing in it has to do with an exercise."
    return ""


def enrolled(members: list[Member], roster: Path | None) -> tuple[list[Member], list[Member]]:
    """The members as the roster knows them, and who is absent."""
    if roster is None:
        return members, []
    try:
        members, absent, remarks = match(members, read_roster(roster))
    except (ValueError, OSError) as error:
        raise click.UsageError(f"--roster: {error}") from error
    for remark in remarks:
        click.echo(remark, err=True)
    return members, absent


def open_folder(out: Path) -> GradedFolder:
    try:
        return GradedFolder(out)
    except (ValueError, UnreadableError) as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"cannot write to {out}: {error.strerror}.") from error


def tell_kept(folder: GradedFolder) -> None:
    """Rows of earlier runs, and overrides that are about nobody in this one."""
    if folder.kept_rows:
        rows = "row" if folder.kept_rows == 1 else "rows"
        click.echo(f"grades.csv keeps {folder.kept_rows} {rows} of earlier runs.", err=True)
    for ruling in sorted(folder.unused, key=lambda ruling: ruling.line):
        who = f"overrides.csv, line {ruling.line}: {ruling.student}"
        click.echo(f"{who} is not among those graded now.", err=True)


def outcomes_of(folder: Path) -> list[Outcome]:
    try:
        return read_outcomes(folder)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error


def show(outcomes: list[Outcome], several: bool, as_json: bool) -> None:
    reports = [outcome.report for outcome in outcomes if outcome.report]
    if as_json:
        content = [report.as_json() for report in reports]
        click.echo(json.dumps(content if several else next(iter(content), None), indent=1))
        return
    # In a pipe nothing says how wide a line may be: wide enough for a table not to wrap.
    console = Console(width=None if sys.stdout.isatty() else 160)
    if several:
        show_summary(outcomes, console)
    else:
        for report in reports:
            show_report(report, console)


@contextmanager
def progress_bar(
    total: int, shown: bool
) -> Iterator[
    Callable[
        [Callable[[Outcome], None]],
        tuple[Callable[[Outcome], None], Callable[[Sequence[str]], None]],
    ]
]:
    """On stderr, so that a pipe gets the table alone: rate, what remains, and who is in work."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("", total=total, rate="")

        def watch(names: Sequence[str]) -> None:
            progress.update(task, description=", ".join(names))

        def with_bar(
            tell: Callable[[Outcome], None],
        ) -> tuple[Callable[[Outcome], None], Callable[[Sequence[str]], None]]:
            def told(outcome: Outcome) -> None:
                tell(outcome)
                progress.update(task, advance=1)
                speed = progress.tasks[task].speed
                progress.update(task, rate=f"{speed:.1f}/s" if speed else "")

            return told, watch

        yield with_bar
