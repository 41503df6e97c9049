"""The page on a class: what it says, and what a browser says of it."""

import base64
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from autograder.graded import ABSENT, GradedFolder
from autograder.manifest import load_manifest
from autograder.renderers.class_report import page_of, questions, ranked, write_report
from autograder.report import (
    ExamReport,
    ExerciseResult,
    MissedQuestion,
    Outcome,
    Report,
    Student,
    TestResult,
)
from autograder.similar import Group
from tests import browser

HOSTILE = "<script>alert(1)</script><img src=https://evil.example/x onerror=alert(2)>"


def outcome(name, lost=(), missed=(), misconceptions=(), verdict="failed", students=()):
    """Half of each exercise in `lost` is gone; a hint says which."""
    exercises = []
    for exercise in load_manifest().exercises:
        tests = [
            TestResult(f"test_{n}", f"Test {n} of {exercise.name}.", exercise.points / 2)
            for n in (1, 2)
        ]
        for test in tests:
            test.settle("passed")
        if exercise.name in lost:
            tests[1].settle(verdict, f"A hint on {exercise.name}.")
        exercises.append(ExerciseResult(exercise.name, tests))
    exam = ExamReport(
        round(100 * (18 - len(missed)) / 18), 18 - len(missed), 18, True, {}, [*missed]
    )
    report = Report(name, exercises, exam, [*misconceptions], provenance={"tests": "abc"})
    return Outcome(name, tuple(students), report)


def miss(id_, chosen="b", misconception=None):
    return MissedQuestion(id_, f"Title of {id_}", misconception, chosen)


def a_class() -> list[Outcome]:
    hard, easy = miss("q03", "c", "scale_forgotten"), miss("q11", "a")
    found = [outcome(f"weak{n}", ["attention"], [hard, easy], ["no_scaling"]) for n in range(4)]
    found += [outcome(f"middle{n}", ["softmax"], [hard], ["one_sum"]) for n in range(3)]
    found += [outcome(f"strong{n}") for n in range(5)]
    found.append(outcome("slow", ["causal_mask"], verdict="timeout"))
    found.append(outcome(HOSTILE, ["softmax"], students=[Student(HOSTILE, "1", "x@y.z")]))
    found.append(Outcome("ann", (Student("Ann Roe", "3"),), None, ABSENT))
    found.append(Outcome("zoe", (), None, "grader_error", "no file can be written"))
    return found


GROUPS = [Group(("strong1", "weak0"), 0.97)]


def test_the_page_has_all_its_parts():
    page = page_of(a_class(), GROUPS)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    for part in (
        "Report on 16 submissions",
        "14 graded",
        "1 no submission",
        "1 grader_error",
        "attention: 86% of its points on average",
        "no_scaling 4 (29%) A hint on attention.",
        "one_sum 3 (21%) A hint on softmax.",
        "q03 Title of q03 50%",
        "c: scale_forgotten (7)",
        "16 questions were missed by nobody",
        "slow : causal_mask: timeout",
        "zoe : no file can be written",
        "strong1 , weak0 : 97% of the code",
        "Ann Roe, 3",
        "tests abc",
    ):
        assert part in text, part
    # In the manifest's order.
    places = [page.index(f'aria-label="Tests of {one.name}"') for one in load_manifest().exercises]
    assert places == sorted(places)


def test_nothing_foreign_is_in_force():
    page = page_of(a_class(), GROUPS)
    assert "<script" not in page
    assert "<img" not in page
    assert not re.findall(r'(?:src|href)="(?!#|data:,)', page)
    assert "default-src 'none'" in page


def test_an_empty_class_is_a_page():
    for outcomes in ([], [Outcome("zoe", (), None, "grader_error", "x")]):
        assert "Nothing was graded" in page_of(outcomes, [])


def test_questions_by_difficulty_and_discrimination():
    reports = [one.report for one in a_class() if one.report]
    hard, easy = questions(reports)
    assert (hard.id, hard.right, hard.instead) == ("q03", 50, "c: scale_forgotten (7)")
    assert (easy.id, easy.right) == ("q11", 71)
    # Who missed the easy one missed the hard one too.
    assert hard.discrimination == easy.discrimination == 0.63
    assert questions(reports[:2])[0].discrimination is None


def test_a_misconception_comes_with_the_hint_of_those_who_have_it():
    both = outcome("x", ["softmax", "attention"], (), ["no_scaling", "one_sum"])
    reports = [one.report for one in [*a_class(), both] if one.report]
    assert {one.name: one.hint for one in ranked(reports)} == {
        "no_scaling": "A hint on attention.",
        "one_sum": "A hint on softmax.",
    }


# --- in a browser ------------------------------------------------------------------------------

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


@pytest.fixture(scope="module")
def tab():
    if browser.CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with browser.tab() as page:
        yield page


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(a_class(), GROUPS, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it(tab, page, size, scheme):
    width, height = SIZES[size]
    tab.open(page, width, height, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    shown = tab.evaluate(
        "['#scores svg', '#tests table', '#misconceptions table', '#exam svg', '#exam table',"
        " '#by-hand li', '#students table', '#s1'].map(part => {"
        " const box = document.querySelector(part).getBoundingClientRect();"
        " return box.width > 20 && box.height > 10; })"
    )
    assert shown == [True] * 8
    # Nothing failed, and nothing but the file was asked for.
    wrong = ("Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed")
    assert [event for event in tab.events if event["method"] in wrong] == []
    asked = [
        event["params"]["request"]["url"]
        for event in tab.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in asked if not url.startswith("data:")} == {page.as_uri()}
    picture = base64.b64decode(tab.ask("Page.captureScreenshot")["data"])
    light = brightness(picture)
    assert light > 200 if scheme == "light" else light < 80


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(tab, page, size, scheme):
    source = browser.axe_source()
    tab.open(page, *SIZES[size], scheme)
    tab.evaluate(source + ";1")
    found = tab.evaluate(
        "axe.run().then(found => found.violations.map(one => [one.impact, one.id, one.help,"
        " one.nodes.map(node => node.html).slice(0, 3)]))"
    )
    assert found == []


def brightness(picture: bytes) -> float:
    """The mean of all bytes of a PNG's pixels in the first rows, 0 to 255."""
    place, data, width, channels = 8, b"", 0, 3
    while place < len(picture):
        length, kind = struct.unpack(">I4s", picture[place : place + 8])
        body = picture[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, channels = struct.unpack(">I", body[:4])[0], {2: 3, 6: 4}[body[9]]
        data += body if kind == b"IDAT" else b""
        place += length + 12
    # The first row stands in its filter's differences to nothing above it: sum them up.
    row = zlib.decompress(data)[: 1 + width * channels]
    pixels = list(row[1:])
    for n in range(channels, len(pixels)):
        left = {1: 1.0, 3: 0.5, 4: 1.0}.get(row[0], 0.0) * pixels[n - channels]
        pixels[n] = (pixels[n] + int(left)) % 256
    colours = [pixels[n] for n in range(len(pixels)) if n % channels < 3]
    return sum(colours) / len(colours)


@pytest.mark.slow
def test_the_command_writes_it(tmp_path, tab):
    folder = GradedFolder(tmp_path)
    for one in a_class():
        if "/" not in one.name:
            folder.add(one)
    folder.write_table([])
    command = [Path(sys.executable).with_name("autograder"), "report", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    tab.open(tmp_path / "report.html", 1280, 900, "light")
    assert tab.evaluate("document.querySelectorAll('.student').length") == 15
