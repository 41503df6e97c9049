"""assignments/exam.html: what stands in it, and in a real browser how it is answered."""

import json
import re
from pathlib import Path

import pytest

from autograder.authoring import exam_page
from autograder.exam.scoring import read_answers
from autograder.judging.grading import grade
from tests.browser import CHROMIUM, axe_source

CHECKOUT = Path(__file__).parent.parent
PAGE = CHECKOUT / "assignments" / "exam.html"
KEY = json.loads((CHECKOUT / "autograder" / "exercises" / "exam" / "key.json").read_text())
IDS = [entry["id"] for entry in KEY]
ANSWERS = read_answers((CHECKOUT / "solutions" / "exam.toml").read_bytes(), IDS).by_id
SHEET = (CHECKOUT / "assignments" / "exam.md").read_text(encoding="utf-8")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def test_the_page_holds_no_key():
    """It is made of what the question sheet holds: another key gives the same page."""
    text = PAGE.read_text(encoding="utf-8")
    for entry in KEY:
        assert entry["title"] not in text
        assert not [name for name in entry["options"].values() if name and f"{name}<" in text]
    values = re.findall(r'<input type="radio"[^>]*checked', text)
    assert len(values) == sum(entry["kind"] == "choice" for entry in KEY)
    assert all('value=""' in value for value in values)


def test_every_question_and_option_of_the_sheet_is_there():
    text = re.sub(r"<[^>]+>", "", PAGE.read_text(encoding="utf-8"))
    words = re.findall(r"^- \*\*[a-e]\*\* (.*)$", SHEET, re.MULTILINE)
    for option in words:
        assert exam_page.inline(option).replace("<em>", "").replace("</em>", "") in text
    assert len(re.findall("class=.question", PAGE.read_text(encoding="utf-8"))) == len(IDS)


def test_the_page_asks_for_nothing_from_elsewhere():
    text = PAGE.read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(|<script src|<link rel=.stylesheet", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a < b & *c* of `d`", "<p>a &lt; b &amp; <em>c</em> of <code>d</code></p>"),
        ("4 * 5 * 6", "<p>4 * 5 * 6</p>"),
        (
            "| w | v |\n| --- | --- |\n| x | [1, 2] |",
            '<table><thead><tr><th scope="col">w</th><th scope="col">v</th></tr></thead>'
            "<tbody><tr><td>x</td><td>[1, 2]</td></tr></tbody></table>",
        ),
    ],
)
def test_wordings_as_html(written, shown):
    assert exam_page.as_html(written) == shown


# --- in a browser -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("no Chromium here: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """The page from its file; every request that it makes is noted."""
    context = browser.new_context(accept_downloads=True)
    opened = context.new_page()
    opened.asked = []
    opened.faults = []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.goto(PAGE.as_uri())
    yield opened
    assert opened.faults == []
    context.close()


def progress(page):
    return page.locator("#progress").inner_text()


def answer_by_keyboard(page):
    """Tabs from field to field; arrows choose, letters and digits are typed."""
    page.keyboard.press("Tab")  # the button
    for entry in KEY:
        page.keyboard.press("Tab")
        if entry["kind"] != "choice":
            page.keyboard.type(ANSWERS[entry["id"]])
            continue
        # "no answer yet" is last and chosen: down goes round to a.
        for _ in range("abcde".index(ANSWERS[entry["id"]]) + 1):
            page.keyboard.press("ArrowDown")


def saved(page, path):
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "exam.toml"
    download.value.save_as(path)


@pytest.mark.slow
def test_answered_by_keyboard_alone_saved_and_graded_100(page, tmp_path):
    assert progress(page) == f"0 of {len(IDS)} answered"
    answer_by_keyboard(page)
    assert progress(page) == f"{len(IDS)} of {len(IDS)} answered"
    for _ in IDS:
        page.keyboard.press("Shift+Tab")
    (tmp_path / "work").mkdir()
    saved(page, tmp_path / "work" / "exam.toml")
    assert f"{len(IDS)} of {len(IDS)} answered" in page.locator("#said").inner_text()
    report = grade(tmp_path / "work")
    assert (report.exam.score, report.exam.passed) == (100, True)
    assert page.asked == [PAGE.as_uri()], "a request leaves the page"


@pytest.mark.slow
def test_answers_are_kept_per_draw(page, tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    file = tmp_path / "exam.html"
    for draw, count in ((None, 0), (None, 1), ("0123456789abcdef", 0), (None, 1)):
        file.write_text(re.sub(r'(?<="id": ")[0-9a-f]{16}', draw, text) if draw else text)
        page.goto(file.as_uri())
        assert progress(page) == f"{count} of {len(IDS)} answered"
        if draw is None:
            page.locator("input[type=text]").first.fill("7")
            page.wait_for_timeout(500)  # the browser writes what it keeps a moment later


@pytest.mark.slow
def test_it_works_where_nothing_can_be_kept(page, tmp_path):
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }});"
    )
    page.reload()
    page.locator("input[type=text]").first.fill("many")
    assert "save before you close" in page.locator("#kept").inner_text()
    assert progress(page) == f"1 of {len(IDS)} answered"
    page.locator("#save").focus()
    saved(page, tmp_path / "exam.toml")
    assert "wants a" in page.locator("#said").inner_text()


@pytest.mark.slow
def test_the_form_that_the_page_takes_is_the_grader_s(page):
    from autograder.exam import scoring
    from tests.written_answers import ANSWERS as WRITTEN
    from tests.written_answers import KEY as FORMS

    for answer in filter(None, WRITTEN):
        if "\u201c" in answer or answer == "1e400":
            continue  # quotes are for the file; a browser's number is as large as it likes
        sheet = scoring.Answers({"q01": answer}, ())
        fine = not [*scoring.malformed(sheet, [FORMS["number"]])]
        found = page.evaluate("answer => hasForm('a number', answer)", answer)
        assert found == (fine and answer != '"b"'), answer


@pytest.mark.slow
def test_axe_finds_nothing_serious(page):
    page.evaluate(axe_source() + ";1")
    found = page.evaluate("axe.run().then(found => found.violations)")
    assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
