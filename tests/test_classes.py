"""What a class is: downloads of Gradescope, Canvas and Moodle, plain folders, and zips of them."""

import io
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from autograder.intake.classes import find
from autograder.intake.metadata import read_submitters
from autograder.intake.submission import open_submission
from autograder.manifest import load_manifest

ROOT = Path(__file__).parent.parent
MANIFEST = load_manifest()
REAL = b"def softmax(scores):\n    return scores + 1\n"
MASK = b"def causal_mask(n):\n    return n + 1\n"
HEAD = b"from softmax import softmax\n\ndef attention(*a):\n    return softmax(a)\n"
STUB = b"def softmax(scores):\n    raise NotImplementedError\n"
FUNCTIONS = {"softmax", "causal_mask", "attention"}
SHEET = b'q01 = "b"\n'
WORK = {"softmax.py": REAL, "causal_mask.py": MASK, "attention.py": HEAD, "exam.toml": SHEET}


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def below(name: str, files: dict[str, bytes] | None = None) -> dict[str, bytes]:
    return {f"{name}/{file}": content for file, content in (files or WORK).items()}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


METADATA = b"""---
submission_1001:
  :submitters:
  - :name: Jane O'Doe
    :sid: '3031'
    :email: jane@example.edu
  :created_at: 2026-11-01 10:00:00.000000000 Z
  :score: 10.0
  :results:
    :tests:
    - :name: not a student
      :score: 1
submission_1002:
  :submitters:
  - :name: "M\\xFCller, Max"
    :sid: 3032
    :email: max@example.edu
  - :name: Ann Roe
    :sid:
    :email: ann@example.edu
  :history:
  - :id: 5
    :submitters:
    - :name: Somebody Else
"""

GRADESCOPE = {
    "submission_metadata.yml": METADATA,
    **below("submission_1001"),
    **below("submission_1002"),
}
CANVAS = {
    f"{who}_{late}{user}_{user * 10 + n}_{name}": content
    for who, late, user in (("doejane", "", 111), ("mustermax", "LATE_", 222))
    for n, (name, content) in enumerate(WORK.items())
}
CANVAS_ZIPS = {"doejane_111_1_hw.zip": zipped(WORK), "mustermax_LATE_222_2_hw-1.zip": zipped(WORK)}
MOODLE = {
    **below("Jane Doe_123456_assignsubmission_file_"),
    **below("Max Muster_123457_assignsubmission_file_"),
    "Max Muster_123457_assignsubmission_onlinetext_/onlinetext.html": b"<p>hi</p>",
}
MOODLE_FLAT = {
    f"{who}_assignsubmission_file_{name}": content
    for who in ("Jane Doe_123456", "Max Muster_123457")
    for name, content in WORK.items()
}
PLAIN = {**below("jane"), **below("max")}
LAYOUTS = {
    "gradescope": (GRADESCOPE, ["Jane O'Doe", "Müller, Max and Ann Roe"]),
    "canvas flat": (CANVAS, ["doejane", "mustermax"]),
    "canvas zips": (CANVAS_ZIPS, ["doejane", "mustermax"]),
    "moodle folders": (MOODLE, ["Jane Doe", "Max Muster"]),
    "moodle flat": (MOODLE_FLAT, ["Jane Doe", "Max Muster"]),
    "folders": (PLAIN, ["jane", "max"]),
    "zips": ({"jane.zip": zipped(WORK), "max.zip": zipped(below("x"))}, ["jane", "max"]),
    "a folder and a zip": ({**below("jane"), "max.zip": zipped(WORK)}, ["jane", "max"]),
    "one is broken": ({**PLAIN, "zoe.zip": b"no zip"}, ["jane", "max", "zoe"]),
    "one handed in nothing": ({**PLAIN, "zoe/notes.pdf": b"%PDF"}, ["jane", "max", "zoe"]),
    "different functions": (
        {"jane/softmax.py": REAL, "max/attention.py": HEAD},
        ["jane", "max"],
    ),
}
WRAPPINGS = {
    "as it is": lambda place, files: folder(place / "class", files),
    "one level too high": lambda place, files: folder(place / "top", below("class", files)),
    "too high, beside a note": lambda place, files: folder(
        place / "top", {**below("class", files), "README.txt": b"x", "slides/1.pdf": b"x"}
    ),
    "the download's own zip": lambda place, files: zip_at(place, files),
    "a zip of one folder": lambda place, files: zip_at(place, below("class", files)),
    "a zip in a folder": lambda place, files: zip_at(place, files).parent,
}


def zip_at(place: Path, files: dict[str, bytes]) -> Path:
    (place / "in").mkdir(parents=True)
    path = place / "in" / "submissions.zip"
    path.write_bytes(zipped(files))
    return path


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def functions_of(member) -> set[str]:
    return set(open_submission(member.path, MANIFEST).places)


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize(("files", "names"), LAYOUTS.values(), ids=list(LAYOUTS))
def test_a_class(tmp_path, scratch, files, names, wrap):
    found = find(wrap(tmp_path, files), MANIFEST, scratch)
    assert found.is_class
    assert [member.name for member in found.members] == names


@pytest.mark.parametrize("name", ["gradescope", "canvas flat", "moodle folders", "moodle flat"])
@pytest.mark.parametrize("wrap", [*WRAPPINGS.values()][::3], ids=["folder", "zip"])
def test_each_member_has_all_of_its_files(tmp_path, scratch, name, wrap):
    for member in find(wrap(tmp_path, LAYOUTS[name][0]), MANIFEST, scratch).members:
        submission = open_submission(member.path, MANIFEST)
        assert set(submission.places) == FUNCTIONS
        assert submission.places["softmax"] == "softmax.py"
        assert submission.exam == SHEET


def test_canvas_flat_as_it_was_downloaded(scratch):
    found = find(ROOT.parent / "shared" / "cases" / "canvas-flat-download", MANIFEST, scratch)
    if not found.is_class:
        pytest.skip("the cases are not laid beside this checkout")
    assert [member.name for member in found.members] == ["doejane", "mustermax"]


def test_who_handed_in(tmp_path, scratch):
    first, second = find(folder(tmp_path / "c", GRADESCOPE), MANIFEST, scratch).members
    assert [(who.name, who.sid, who.email) for who in (*first.students, *second.students)] == [
        ("Jane O'Doe", "3031", "jane@example.edu"),
        ("Müller, Max", "3032", "max@example.edu"),
        ("Ann Roe", "", "ann@example.edu"),
    ]


def test_one_submission_of_an_export_is_a_class_of_one(tmp_path, scratch):
    files = {"submission_metadata.yml": METADATA, **below("submission_1001")}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert found.is_class
    assert len(found.members) == 1
    assert "submission_1002" in " ".join(found.remarks)


def test_canvas_marks_are_no_part_of_a_name(tmp_path, scratch):
    files = {
        "doejane_111_1_softmax.py": STUB,
        "doejane_111_2_softmax-1.py": REAL,
        "doejane_111_3_attention-2.py": HEAD,
        "doejane_111_4_hw-1.py": b"x = 1\n",
        "doejane_111_5_hw-2.py": b"x = 2\n",
        "mustermax_LATE_222_6_softmax.py": REAL,
    }
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    jane = found.members[0].path
    assert sorted(path.name for path in jane.iterdir()) == [
        "attention.py",
        "hw-1.py",
        "hw-2.py",
        "softmax.py",
    ]
    assert (jane / "softmax.py").read_bytes() == REAL
    assert "earlier version: doejane_111_1_softmax.py" in " ".join(found.remarks)


def test_two_of_one_name_are_told_apart(tmp_path, scratch):
    files = {f"doejane_{n}_{n}_softmax.py": REAL for n in (1, 2)}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["doejane_1", "doejane_2"]


def test_sections_are_one_class(tmp_path, scratch):
    files = {
        **below("a/jane"),
        **below("a/max"),
        **below("b/zoe"),
        **below("b/jan"),
    }
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["a-jane", "a-max", "b-jan", "b-zoe"]
    assert "several classes" in " ".join(found.remarks)


def test_drafts_of_each_student_are_no_sections(tmp_path, scratch):
    files = {}
    for who in ("jane", "max"):
        files |= {**below(f"{who}/draft"), **below(f"{who}/final")}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["jane", "max"]
    assert "graded as one student" in " ".join(found.remarks)


def test_a_section_beside_a_student_is_named(tmp_path, scratch):
    files = {**below("section/jane"), **below("section/max"), **below("zoe")}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["section", "zoe"]
    assert "section is graded as one student" in " ".join(found.remarks)


def test_strays_are_named(tmp_path, scratch):
    files = {**PLAIN, "softmax.py": REAL, "notes.txt": b"x", "late.py": REAL}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["jane", "max"]
    assert "late.py, notes.txt, softmax.py" in " ".join(found.remarks)


def test_one_says_that_it_is_one(tmp_path, scratch):
    for place in (folder(tmp_path / "c", PLAIN), zip_at(tmp_path / "z", PLAIN)):
        found = find(place, MANIFEST, scratch, one=True)
        assert not found.is_class
        assert [member.path for member in found.members] == [place]


ONES = {
    "flat": WORK,
    "an old version beside": {**WORK, "old/attention.py": HEAD},
    "old versions beside": {**WORK, "old/notes.txt": b""},
    "loose files": {"jane.py": REAL, "max.py": REAL},
    "nested": below("jane"),
    "a folder per exercise": {f"{name[:-3]}/{name}": WORK[name] for name in [*WORK][:3]},
    "the template beside": {**below("mine"), **below("template", {"softmax.py": STUB})},
    "its zip beside the folder": {**below("hw"), "hw.zip": zipped(below("hw"))},
    "tests beside": {**below("src"), "tests/test_mine.py": REAL},
    "pictures beside": {**below("hw"), "pictures/1.png": b"x", "pictures/2.png": b"x"},
    "one name of Canvas's form": {**WORK, "try_1_2_x.py": REAL},
    "empty": {},
}


@pytest.mark.parametrize("files", ONES.values(), ids=list(ONES))
@pytest.mark.parametrize("as_zip", [False, True], ids=["folder", "zip"])
def test_one_submission(tmp_path, scratch, files, as_zip):
    place = zip_at(tmp_path, files) if as_zip else folder(tmp_path / "c", files)
    found = find(place, MANIFEST, scratch)
    assert not found.is_class
    assert [member.path for member in found.members] == [place]


def test_one_prefix_is_one_submission_under_its_own_names(tmp_path, scratch):
    files = {name: content for name, content in CANVAS.items() if name.startswith("doe")}
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert not found.is_class
    assert functions_of(found.members[0]) == FUNCTIONS


def test_litter_and_earlier_output_are_no_members(tmp_path, scratch):
    files = {
        **PLAIN,
        ".git/softmax.py": REAL,
        "__MACOSX/jane/._softmax.py": b"x",
        "out/results/jane.json": b"{}",
        "out/feedback/jane.md": b"x",
    }
    found = find(folder(tmp_path / "c", files), MANIFEST, scratch)
    assert [member.name for member in found.members] == ["jane", "max"]
    assert found.remarks == []


# --- zips that mean harm -------------------------------------------------------------------------


def test_nothing_of_a_zip_lies_outside_the_scratch(tmp_path, scratch):
    files = {
        **PLAIN,
        "../../outside.py": REAL,
        "/abs.py": REAL,
        "a\\..\\..\\b.py": REAL,
        "x" * 300 + "/y.py": REAL,
    }
    found = find(zip_at(tmp_path, files), MANIFEST, scratch)
    assert [member.name for member in found.members][:2] == ["jane", "max"]
    written = list(tmp_path.rglob("*.py"))
    assert all(path.is_relative_to(scratch) for path in written)
    assert not Path("/abs.py").exists()
    assert sum("points outside" in remark for remark in found.remarks) == 3


def test_a_link_in_a_zip_is_not_made(tmp_path, scratch):
    place = zip_at(tmp_path, PLAIN)
    with zipfile.ZipFile(place, "a") as archive:
        link = zipfile.ZipInfo("jane/key.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    found = find(place, MANIFEST, scratch)
    assert "jane/key.py in submissions.zip is a link" in found.remarks
    assert not list(scratch.rglob("key.py"))


def test_a_bomb_takes_no_more_than_the_cap(tmp_path, scratch):
    bomb = {**PLAIN, "max/big.py": b"#" * (20 << 20), "max/data.bin": b"0" * (50 << 20)}
    find(zip_at(tmp_path, bomb), MANIFEST, scratch)
    assert sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()) < 2 << 20


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", zipped(PLAIN)[:-40]])
def test_a_damaged_zip_is_one_submission(tmp_path, scratch, content):
    path = zip_at(tmp_path, {})
    path.write_bytes(content)
    assert not find(path, MANIFEST, scratch).is_class


def test_loose_links_are_not_followed(tmp_path, scratch):
    place = folder(tmp_path / "c", CANVAS)
    (tmp_path / "secret.py").write_bytes(b"secret = 1\n")
    (place / "doejane_111_99_more.py").symlink_to(tmp_path / "secret.py")
    jane = find(place, MANIFEST, scratch).members[0].path
    assert b"secret" not in b"".join(path.read_bytes() for path in jane.iterdir())


# --- submission_metadata.yml ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "submission_1:\n",
        "submission_1:\n  :submitters:\n",
        "submission_1: {a: b}\n",
        "submission_1:\n  :submitters: []\n",
        "- a\n- b\n",
        "\tx: y\n",
        "!!python/object/apply:os.system ['true']\n",
        "&a [*a, *a]\n" * 1000,
        ":" * 100_000,
        "\x00\xff",
    ],
)
def test_any_metadata_is_read_or_left(text):
    assert not any(read_submitters(text.encode("latin-1")).values())


def test_indented_lists_and_other_keys():
    text = """submission_7:
    :submitters:
        - :email: 'a@b.c'
          :id: 5
          :name: 'O''Neil: Pat'
    :status: processed
"""
    (student,) = read_submitters(text.encode())["submission_7"]
    assert (student.name, student.email) == ("O'Neil: Pat", "a@b.c")


def test_members_of_a_folder_are_links_or_copies_that_leave_the_class_alone(tmp_path, scratch):
    place = folder(tmp_path / "c", CANVAS)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    find(place, MANIFEST, scratch)
    shutil.rmtree(scratch)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
