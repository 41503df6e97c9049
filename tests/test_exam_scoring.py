"""exam.toml as students write it, matched and scored."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exam.scoring import (
    Answers,
    KeyEntry,
    digest_of,
    holds_answers,
    is_sheet,
    matches,
    meaning,
    percent,
    read_answers,
    score_exam,
)
from autograder.report import GraderError

IDS = tuple(f"q{number:02}" for number in range(1, 19))

CHOICE = KeyEntry(
    id="q01",
    module=3,
    title="Row 0",
    section="modules.md, Module 3",
    kind="choice",
    answer="b",
    accepted=(),
    options={"a": "mask_after_softmax", "b": None, "c": "scale_by_d", "d": None},
)
NUMBER = replace(CHOICE, id="q02", kind="number", answer="1/4", options={})
LARGE = replace(NUMBER, answer="147456")
TEXT = replace(
    CHOICE, id="q03", kind="text", answer="softmax", accepted=("soft max", "-inf"), options={}
)
ENTRIES = (CHOICE, NUMBER, LARGE, TEXT)


def read(text, ids=IDS):
    return read_answers(text.encode(), ids)


def key_of(length):
    """A key of choices whose answer is b, spread over the modules 0 to 3."""
    return [replace(CHOICE, id=f"q{n + 1:02}", module=n % 4) for n in range(length)]


def sheet_of(right, length):
    """Answers of which the first are right."""
    return Answers({f"q{n + 1:02}": "b" if n < right else "a" for n in range(length)}, ())


# --- matching --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        *("0.25", ".25", "25e-2", "2.5E-1", "1/4", " 1/4 ", "1 / 4", "+0.25", "0.2500001", "0,25"),
        *(",25", "0,250", "2/8", "-1/-4", "0.250", "\t.25\n", '"0.25"', "\u201c1/4\u201d", "'1/4'"),
        *("\u22121/\u22124", "0.5/2", "1/4.0", "00.25", "0.25.", "(1/4)", "(1/4).", "( 0.25 )"),
        *("25%", "25 %", "25.0%", "\u00bc", "\u00bc.", "1/4."),
    ],
)
def test_numbers_match_by_value(answer):
    assert matches(NUMBER, answer)


@pytest.mark.parametrize(
    "answer",
    [
        *("", " ", "0.26", "0.2501", "-0.25", "4", "25", "1/0", "0/0", "1/0.0", "/4", "1/", "/"),
        *("nan", "NaN", "inf", "-inf", "Infinity", "nan/1", "1/inf", "1e999", "1/1e999", "1e-999"),
        *("[0.25]", "{a = 0.25}", "true", "2020-01-04", "1/4/1", "1/2/2", "0.2 5", "0..25", "b"),
        *("0x1p-2", "\u0660.25", "0.25" + "0" * 10_000, "9" * 10_000, "1/" + "9" * 10_000, "\0"),
        *(
            "1e" + "9" * 100,
            "--0.25",
            "0.25.0",
            "1 4",
            "e-2",
            "%",
            "1 1/4",
            "1\u00bc",
            "(0.25",
            "()",
        ),
        *("0.25%", "\uff10.\uff12\uff15", "1e400", "1/4/", "\u00bc\u00bc", "0 1/0", "0.25.."),
    ],
)
def test_other_texts_match_no_number(answer):
    assert not matches(NUMBER, answer)


@pytest.mark.parametrize(
    "answer",
    ["147456", "147,456", "147 456", "147_456", "147,456.0", "147456.", "1.47456e5", "+147,456"],
)
def test_thousands_may_be_grouped(answer):
    assert matches(LARGE, answer)


@pytest.mark.parametrize("answer", ["147,4560", "14,7456", "147.456", "147,45,6", "1,474,56"])
def test_inexact_groups_are_not_thousands(answer):
    assert not matches(LARGE, answer)


def test_a_comma_before_three_digits_parts_thousands_and_before_others_decimals():
    assert matches(replace(NUMBER, answer="1234"), "1,234")
    assert not matches(replace(NUMBER, answer="1.234"), "1,234")
    assert matches(replace(NUMBER, answer="1234.5"), "1234,5")
    assert not matches(replace(NUMBER, answer="1234567"), "1 234,567")


def test_the_tolerance_is_a_millionth_and_at_least_a_billionth():
    assert matches(LARGE, "147456.1")
    assert not matches(LARGE, "147456.2")
    zero = replace(NUMBER, answer="0")
    assert matches(zero, "1e-10")
    assert matches(zero, "0/7")
    assert not matches(zero, "1e-8")
    assert not matches(zero, "1/1e999")


def test_a_mixed_number_is_a_number():
    for answer in ("2 1/2", "2\u00bd", "2 \u00bd", "5/2", "250%"):
        assert matches(replace(NUMBER, answer="5/2"), answer)


SENTENCES = {"a": "All rows sum to 1.", "b": "Row 0 alone, since it sees itself.", "c": "None."}
WORDY = replace(
    CHOICE, texts=SENTENCES, options={"a": "mask_after_softmax", "b": None, "c": "overflow"}
)
WORDS = replace(TEXT, answer="boat", accepted=("the boat",), near={"river": "nearest", "fog": "x"})


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Option B",
            "option b",
            "Answer: b",
            "answer b.",
            "b) Row 0 alone, since it sees itself.",
        ),
        *("b - row 0", "(b) it sees itself", "Row 0 alone, since it sees itself.", "b.", "b) (b)"),
        *("row 0  alone, since it sees itself", "Choice (B)", "b: my choice"),
    ],
)
def test_an_option_may_be_named_in_words(answer):
    assert matches(WORDY, answer)
    assert meaning(WORDY, answer) == "b"


@pytest.mark.parametrize(
    "answer",
    ["b) c)", "b) None.", "option", "optionb", "d", "Option d", "b a", "row 0", "a b", "bc"],
)
def test_what_could_be_another_option_is_none(answer):
    assert meaning(WORDY, answer) != "b"


def test_answers_of_one_meaning_are_one():
    assert {meaning(NUMBER, text) for text in ("0.25", "1/4", "\u00bc", "25%", "(2/8)")} == {"0.25"}
    assert {meaning(WORDS, text) for text in ("boat", "the Boat", "BOAT.")} == {"boat"}
    assert {meaning(WORDS, text) for text in ("river", "The river")} == {"river"}
    assert meaning(NUMBER, "-0") == meaning(NUMBER, "0")
    for entry, text in ((NUMBER, "much"), (NUMBER, "1/0"), (WORDY, "e"), (WORDS, "water")):
        assert meaning(entry, text) == ""


def test_what_cannot_be_used_is_named_and_is_no_attempt():
    key = [WORDY, NUMBER, replace(WORDS, id="q03")]
    answers = Answers({"q01": "e", "q02": "1e400", "q03": "water"}, ())
    score = score_exam(answers, key)
    assert not score.attempted
    assert digest_of(answers, key) == ""
    assert score.problems == (
        "The answer to q01 is none of the letters that it offers.",
        "The answer to q02 is no number, such as 12, 0.25 or 1/4.",
        "The answer to q03 is none of the words that it offers.",
    )


def test_near_misses_of_numbers_and_words_are_named():
    key = [
        replace(NUMBER, near={"1/2": "zero_hides", "2": "one_head"}),
        replace(WORDS, id="q03"),
        replace(WORDS, id="q04"),
    ]
    score = score_exam(Answers({"q02": "50%", "q03": "the river", "q04": "lake"}, ()), key)
    assert [(miss.misconception, miss.chosen) for miss in score.missed] == [
        ("zero_hides", "0.5"),
        ("nearest", "river"),
        (None, "lake"),
    ]


def test_a_sheet_of_another_name_is_known_by_its_ids():
    assert holds_answers(b'# mine\n\nq01 = ""\nQ2 : b\n')
    assert holds_answers('q01 = "b"'.encode("utf-16"))
    assert holds_answers(b"[exam.answers]\r\n  'q07' = 1/4")
    for other in (
        b"",
        b'q01 = ""\nq02 = # none',
        b"[tool.ruff]\nline-length = 100",
        b"\0\xff" * 99,
    ):
        assert not holds_answers(other)
    assert is_sheet(b'q01 = ""\nq02 = ""\nq03 = ""\n')
    assert not is_sheet(b'q01 = ""\nline-length = 100')
    assert not holds_answers(b"#" * 70_000 + b"\nq01 = b")


@pytest.mark.parametrize(
    "source", [b"\n" * 65_000, b" " * 65_000, b"q1 " * 20_000, b'"' * 65_000, b"q1=\n" * 16_000]
)
def test_looking_for_answers_is_quick(source):
    began = time.monotonic()
    assert not holds_answers(source)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("answer", ["b", "B", "b ", " b", "(b)", "b)", "b.", "B)", "“b”", '"b"'])
def test_a_choice_is_its_letter(answer):
    assert matches(CHOICE, answer)
    assert matches(replace(CHOICE, answer="B", options={"A": None, "B": None}), answer)


@pytest.mark.parametrize("answer", ["", " ", "a", "bb", "b c", "a, b", "e", "()", "1", "[b]", "ⓑ"])
def test_other_letters_match_no_choice(answer):
    assert not matches(CHOICE, answer)


@pytest.mark.parametrize(
    "answer",
    ["softmax", "SoftMax", " soft \t max ", '"softmax"', "“Softmax”.", "softmax!", "-INF", "−inf"],  # noqa: RUF001
)
def test_a_text_matches_its_spellings(answer):
    assert matches(TEXT, answer)


@pytest.mark.parametrize(
    "answer", ["", "...", "soft", "softmaxx", "inf", "[softmax]", "s" * 10_000]
)
def test_other_texts_match_no_text(answer):
    assert not matches(TEXT, answer)


def test_a_text_that_is_only_punctuation_never_matches_a_blank():
    assert not matches(replace(TEXT, accepted=("?",)), "!")


@given(st.text())
def test_matches_never_raises(answer):
    for entry in ENTRIES:
        assert matches(entry, answer) in (True, False)


@given(st.text("0123456789+-.,/eE_ '\"nainf", max_size=30))
def test_matches_never_raises_on_nearly_numbers(answer):
    assert matches(NUMBER, answer) in (True, False)


def test_a_broken_key_is_the_graders_fault():
    with pytest.raises(GraderError, match="q02"):
        matches(replace(NUMBER, answer="b"), "b")
    with pytest.raises(GraderError, match="q01"):
        matches(replace(CHOICE, kind="essay"), "b")
    with pytest.raises(GraderError, match="no questions"):
        score_exam(Answers({}, ()), [])


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ('q02 = "b"', "b"),
        ("q02 = 'b'", "b"),
        ('q02 = " 1/4 "', "1/4"),
        ("q02 = 0.25", "0.25"),
        ("q02 = 25e-2", "25e-2"),
        ("q02 = 147456", "147456"),
        ("q02 = 0x10", "16"),
        ("q02 = nan", "nan"),
        ("q02 = -inf", "-inf"),
        ('answers.q02 = "b"', "b"),
        ('answers = {q02 = "b"}', "b"),
        ('"q02" = "b"', "b"),
        ('q02 = """b"""', "b"),
        ('q2 = "b"', "b"),
        ('Q02 = "b"', "b"),
        ('q002 = "b"', "b"),
        ('q02 = "a # b"  # a comment', "a # b"),
        ("q02 = 1/4", "1/4"),
        ("q02 = 1 / 4  # a quarter", "1 / 4"),
        ("q02 = .25", ".25"),
        ("q02 = 147,456", "147,456"),
        ("q02 = b", "b"),
        ("q02 = b # not c", "b"),
        ("q02 = soft max", "soft max"),
        ("q02 = (b)", "(b)"),
        ("q02 = “b”", "b"),
        ("q02 = “a # b” # a comment", "a # b"),
        ("q02 = “it's d_k” # “sure”", "it's d_k"),
        ("q02 = \u2018b\u2019", "b"),
        ("q02 = “b“", "b"),
        ('“q02” = "b"', "b"),
        ('q02 = "b', "b"),
        ('q02 = "b # a comment', "b"),
        ('q02 = b"', "b"),
        ('q02 = "b",', "b"),
        ("q02: b", "b"),
        ('q02: "b"', "b"),
        ("q02 == b", "b"),
        ("  q02=b  ", "b"),
        ("\u00a0q02\u00a0=\u00a0b", "b"),
        ("Q2 : B", "B"),
        ("q02 =", ""),
        ("q02 = # a comment", ""),
        ('q02 = ""', ""),
        ("q02 = “”", ""),
        ('q02 = "  "', ""),
    ],
)
def test_a_line_is_read_as_meant_alone_and_among_others(line, answer):
    assert read(line) == Answers({"q02": answer}, ())
    among = read(f'# The exam\n\nq01 = "c"\n{line}\nq03 = 1/3\n')
    assert among == Answers({"q01": "c", "q02": answer, "q03": "1/3"}, ())


def test_answers_may_stand_in_a_table():
    assert read('[answers]\nq01 = "b"\nq02 = 4\n') == Answers({"q01": "b", "q02": "4"}, ())
    assert read("[answers]\nq01 = b\nq02 = 4\n") == Answers({"q01": "b", "q02": "4"}, ())


def test_answers_may_stand_in_a_table_within_a_table():
    for second in ("4", "8/2"):
        text = f'[exam]\nname = "Ada"\n[exam.answers]\nq01 = "b"\nq02 = {second}\n'
        answers = read(text)
        assert answers.by_id == {"q01": "b", "q02": second}
        assert answers.problems == ("name in line 2 is no question of this exam.",)


def test_a_string_over_several_lines_is_toml():
    assert read('q01 = """\nb\n"""\nq02 = 4\n').by_id == {"q01": "b", "q02": "4"}


@pytest.mark.parametrize(
    "value",
    ['["b"]', '{a = "b"}', "true", "2020-01-04", "07:30:00", "[]", "{}", "[[[]]]"],
)
@pytest.mark.parametrize("rest", ["q01 = 1", "q01 = 1/1"])
def test_values_of_other_kinds_cost_their_question_and_are_named(value, rest):
    answers = read(f"{rest}\nq02 = {value}\nq03 = 3\n")
    assert answers.by_id["q02"] == ""
    assert answers.by_id["q03"] == "3"
    assert answers.problems == ("The answer to q02 in line 2 is not one word or number.",)


@pytest.mark.parametrize(
    "line", ["q02 = [b", "q02: [b]", "q02 = {b", "q02 = " + "[" * 5000, "q02 = " + '{"a":' * 2000]
)
def test_an_unreadable_answer_costs_its_question_only(line):
    answers = read(f"q01 = a\n{line}\nq03 = c\n")
    assert answers.by_id == {"q01": "a", "q02": "", "q03": "c"}
    assert len(answers.problems) == 1
    assert answers.problems[0].startswith("Line 2 of exam.toml cannot be read: ")


@pytest.mark.parametrize(
    "line", ["what is this", "= b", "q02", "q02 b", "[answers", "q" * 21 + " = b", "ü = b", "]"]
)
def test_an_unreadable_line_is_named_and_not_quoted(line):
    answers = read(f"q01 = a\n{line}\nq03 = c\n")
    assert answers.by_id == {"q01": "a", "q03": "c"}
    assert answers.problems == (
        'Line 2 of exam.toml cannot be read: write it like q01 = "b", one per line.',
    )


def test_very_many_unreadable_lines_are_counted():
    answers = read("<p>\n" * 1000 + "q01 = b\n")
    assert answers.by_id == {"q01": "b"}
    assert len(answers.problems) == 21
    assert answers.problems[-1] == "exam.toml has more problems of this sort: 980."


@pytest.mark.parametrize("rest", ["q01 = 1", "q01 = 1/1"])
def test_an_unknown_id_is_named(rest):
    answers = read(f'{rest}\n\n\nq99 = "b"\n"<script>" = "b"\n')
    assert "q01" in answers.by_id
    assert answers.problems[0] == "q99 in line 4 is no question of this exam."
    assert answers.problems[1].startswith("A name")
    assert len(answers.by_id) == 1


def test_an_unknown_id_without_a_line_of_its_own_is_named():
    assert read('answers.q99 = "b"').problems == ("q99 is no question of this exam.",)


@pytest.mark.parametrize("text", ["q01 = 'a'\nq01 = 'b'", "q01 = 'a'\nq1 = 'b'", "Q01: a\nq01: b"])
def test_of_two_answers_the_last_counts(text):
    assert read(text) == Answers(
        {"q01": "b"}, ("q01 is answered more than once: the last answer counts.",)
    )


def test_an_overlong_answer_costs_its_question_only():
    for quote in '"', "":
        answers = read(f"q01 = 1\nq02 = {quote}{'b' * 10_000}{quote}\nq03 = 3\n")
        assert answers.by_id == {"q01": "1", "q02": "", "q03": "3"}
        assert answers.problems == ("The answer to q02 in line 2 is longer than 200 characters.",)
    assert read("q01 = " + "9" * 250).by_id == {"q01": ""}
    assert read("q01 = " + "9" * 10_000).by_id == {"q01": ""}
    assert read("q01 = 0x" + "f" * 10_000).by_id == {"q01": ""}


def test_a_long_comment_is_no_problem():
    text = f"# {'word ' * 500}\nq01 = 'b'\nq02 = 'a # c' # {'word ' * 500}\n"
    assert read(text) == Answers({"q01": "b", "q02": "a # c"}, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("second", ['q02 = "ü"', "q02 = “ü”"])
def test_editors_encodings_and_line_ends(encoding, line_end, second):
    source = line_end.join(["# Fragen", 'q01 = "b"', second, ""]).encode(encoding)
    assert read_answers(source, IDS) == Answers({"q01": "b", "q02": "ü"}, ())


def test_windows_text_is_read_as_it_is_written():
    source = "# Prüfung, Größe\r\nq01 = “b”\r\nq02 = ¼\r\n".encode("cp1252")
    assert read_answers(source, IDS) == Answers({"q01": "b", "q02": "¼"}, ())


def test_utf_16_without_its_mark():
    for encoding in "utf-16-le", "utf-16-be":
        assert read_answers("q01 = b".encode(encoding), IDS).by_id == {"q01": "b"}


def test_big_endian_utf_16():
    assert read_answers(b"\xfe\xff" + "q01 = b".encode("utf-16-be"), IDS).by_id == {"q01": "b"}


@pytest.mark.parametrize(
    "source",
    [
        b"q01 = \x81",
        b"q01 = \xff\x01",
        b"\xff\xfeq",
        b"PK\x03\x04\x00\x00",
        b"\x89PNG\r\n\x1a\n\x00",
    ],
)
def test_a_file_that_is_no_text_is_refused_in_words(source):
    answers = read_answers(source, IDS)
    assert answers.by_id == {}
    assert answers.problems == ("exam.toml is not a text file: save it as plain text (UTF-8).",)


def test_a_large_file_is_refused_in_words():
    for source in b"q01 = 'b'\n" * 500_000, b"[" * 5_000_000, b"\xff" * 65_537:
        answers = read_answers(source, IDS)
        assert answers.by_id == {}
        assert len(answers.problems) == 1
        assert "larger than 64 KiB" in answers.problems[0]
    assert read_answers(b"q01 = 1\n" + b"#" * (65_536 - 8), IDS).by_id == {"q01": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 60_000,
        "q01 = " + "[" * 60_000,
        "q01 = " + "[\n" * 30_000,
        "q01 = " + "{a=" * 20_000,
        "q01 = " + "[" * 30_000 + "]" * 30_000,
        ".".join("a" * 30_000),
        ".".join("a" * 30_000) + " = 1",
        f"[{'.'.join('a' * 140)}]\n" + "\n".join(f"b{n}.{'a.' * 140}a = 1" for n in range(210)),
        "\n".join(f"a{n}=1" for n in range(7_000)),
        "\n".join(f"a{n}=x" for n in range(7_000)),
        'q01 = "' + '" ' * 30_000,
        'q01 = "' + " " * 60_000 + "x",
        'q01 = "' + '",;' * 20_000 + "x",
        " " * 60_000 + "q01",
        "q01" + " " * 60_000,
        "q01 = '''" + "x\n" * 30_000,
        "q01 = " + "9" * 60_000,
        "q01 = " + "=" * 60_000,
        "'\n" * 30_000,
    ],
    ids=range(19),
)
def test_hostile_files_are_answered_in_words_and_quickly(text):
    began = time.monotonic()
    answers = read(text)
    assert time.monotonic() - began < 5
    assert set(answers.by_id.values()) <= {"", "x"}
    assert all(len(problem) < 120 for problem in answers.problems)
    assert len(answers.problems) <= 21


@pytest.mark.parametrize("text", ["[" * 60_000, "[\n" * 500, "q01 = " + "[" * 60_000])
def test_deep_nesting_is_refused_in_words(text):
    answers = read(text)
    assert answers.problems[0].startswith("Line 1 of exam.toml cannot be read: ")


@given(st.binary())
def test_reading_never_raises_on_bytes(source):
    assert isinstance(read_answers(source, IDS), Answers)


FRAGMENTS = ["q01", "Q2", "q99", "=", ":", "[", "]", "{", "}", '"', "'", "“", "”", "#", "\\", "1/4"]
FRAGMENTS += ["\n", "\r\n", " ", ".", ",", "b", "true", "nan", "0x", "_", "-", "1979-05-27", '"""']
FRAGMENTS += ["99:99:99", "2020-02-31", "\\u", "\\ud800", "+", "e", "é", "\t", "\u2028", "\x85"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)))
def test_reading_never_raises_on_text(text):
    for encoding in "utf-8", "utf-16":
        answers = read_answers(text.encode(encoding, "replace"), IDS)
        assert set(answers.by_id) <= set(IDS)
        assert all(answer == answer.strip() for answer in answers.by_id.values())


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))
def test_no_line_costs_another_question(line):
    one_line = line.replace("\n", "").replace("\r", "")
    answers = read(f"q17 = 1/17\n{one_line}\nq18 = 1/18\n")
    assert answers.by_id["q17"] == "1/17"
    assert answers.by_id["q18"] == "1/18"


# --- scoring ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "questions", "score", "passed"),
    [
        (12, 18, 67, False),
        (13, 18, 72, True),
        (0, 18, 0, False),
        (18, 18, 100, True),
        (69, 100, 69, False),
        (70, 100, 70, True),
        (71, 100, 71, True),
        (7, 10, 70, True),
        (9, 13, 69, False),
        (139, 200, 70, True),  # 69.5
        (137, 200, 69, False),  # 68.5
        (1, 8, 13, False),  # 12.5
        (3, 8, 38, False),  # 37.5
        (1, 200, 1, False),  # 0.5
        (199, 200, 100, True),  # 99.5
    ],
)
def test_the_score_rounds_halves_up_and_passes_from_70(right, questions, score, passed):
    result = score_exam(sheet_of(right, questions), key_of(questions))
    assert (result.right, result.questions) == (right, questions)
    assert (result.score, result.passed) == (score, passed)
    assert percent(right, questions) == score


def test_the_threshold_can_be_another():
    assert score_exam(sheet_of(12, 18), key_of(18), threshold=67).passed
    assert not score_exam(sheet_of(12, 18), key_of(18), threshold=68).passed


def test_a_blank_sheet_is_not_attempted():
    blank = read("".join(f'{id_} = ""\n' for id_ in IDS))
    for answers in blank, Answers({}, ()), read(""), read("# nothing\n"), read("q01 =\n"):
        result = score_exam(answers, key_of(18))
        assert (result.score, result.attempted, len(result.missed)) == (0, False, 18)
    assert score_exam(Answers({"q01": "d"}, ()), key_of(18)).attempted


def test_what_was_missed_is_told_with_the_misconception_chosen():
    key = [replace(CHOICE, id=f"q{n:02}", module=n // 2) for n in range(1, 6)]
    key.append(replace(NUMBER, id="q06", module=3))
    answers = read("q01 = b\nq02 = (A)\nq03 = c.\nq04 = d\nq05 = x\nq06 = a\n")
    result = score_exam(answers, key)
    assert result.right == 1
    assert [(miss.id, miss.misconception) for miss in result.missed] == [
        ("q02", "mask_after_softmax"),
        ("q03", "scale_by_d"),
        ("q04", None),
        ("q05", None),
        ("q06", None),
    ]
    assert result.missed_by_module == {1: 2, 2: 2, 3: 1}
    first = result.missed[0]
    assert (first.module, first.title) == (1, "Row 0")


def test_a_blank_answer_is_simply_missed():
    result = score_exam(read('q01 = "b"\nq02 = ""\n'), key_of(3))
    assert [(miss.id, miss.misconception) for miss in result.missed] == [
        ("q02", None),
        ("q03", None),
    ]
    assert result.attempted


STYLES = [
    '{id} = "{answer}"',
    "{id} = '{answer}'  # sure",
    "{id} = {answer}",
    "{id}={answer}# a # b",
    "{id}: {answer}",
    "{id} = “{answer}”",
    '{id} = "{answer}',
    '  {id}  =  "  {answer}  "',
]


@given(st.lists(st.sampled_from(STYLES), min_size=18, max_size=18), st.booleans(), st.data())
def test_a_perfect_sheet_is_right_in_every_style(styles, plain_ids, data):
    spellings = {
        "choice": ["b", "B", "(b)", "b)", "b."],
        "number": ["0.25", ".25", "25e-2", "1/4", "1 / 4", "+0.25", "0,25"],
        "text": ["softmax", "SOFTMAX", "soft  max", "softmax."],
    }
    key = [replace((CHOICE, NUMBER, TEXT)[n % 3], id=id_) for n, id_ in enumerate(IDS)]
    lines = []
    for entry, style in zip(key, styles, strict=True):
        answer = data.draw(st.sampled_from(spellings[entry.kind]))
        id_ = entry.id.replace("q0", "Q") if plain_ids else entry.id
        lines.append(style.format(id=id_, answer=answer))
    answers = read("\n".join(lines))
    result = score_exam(answers, key)
    assert (result.right, result.missed, answers.problems) == (18, (), ())
