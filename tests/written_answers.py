"""Answers as people write them, and the questions that they are held to."""

from autograder.exam import scoring

KEY = {
    "letter": scoring.KeyEntry("q01", 0, "", "", "choice", "b", (), dict.fromkeys("abcde")),
    "number": scoring.KeyEntry("q01", 0, "", "", "number", "12", (), {}),
}
ANSWERS = [
    *["b", "B", "b)", "(b)", "b.", "e", "f", "bc", "ab", '"b"', "\u201cb\u201d", "1"],
    *["12", "0.25", ".25", "25e-2", "1/4", "1 / 4", "-3", "+3", "0,25", "147,456", "147 456"],
    *["147'456", "1_000", "1/0", "1/0.0", "1/2/3", "", "many", "12 words", "1e", "5.", "1/-4"],
    *["\u22123", "1,2,3", "0x10", "1e5", "1,000.5", "12.", "/4", "4/", "inf", "nan", "1e400"],
    *["Option B", "(1/4)", "25%", "\u00bc", "2 1/2", "0.25.", "\uff11\uff12", "b) b", "1 0/0", "%"],
]
