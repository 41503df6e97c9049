"""The parent's side of the pipe: 100,000 random and damaged replies, read as from a guest."""

import json
import os
import random
import signal
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

from autograder.sandbox import protocol
from autograder.sandbox.inside import guest
from autograder.sandbox.process import Guest, GuestDied, GuestLate

FRAMES = 100_000
NUMBER = 7
WORDS = ["id", "kind", "returned", "raised", "loaded", "items", "changed", "shape"]
WORDS += ["as", "dtype", "type", "ndarray", "<f8", "<i8", "|b1", "|O", "error", "line", "tuple"]
WORDS += ["ValueError", "\ud800", "é" * 9, "__class__", "", "x" * 300]
NUMBERS = [0, 1, -1, 2, 7, 8, 255, 1 << 20, 1 << 23, (1 << 23) + 1, 1 << 31, 1 << 63, 1 << 64]
NUMBERS += [-(1 << 63), 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf")]
SCRAPS = [b"[" * 30_000, b'{"a":' * 9_000, b"9" * 5_000, b"\xff\xfe", b"\x00", b"NaN", b"1e999"]
SCRAPS += [b'"\\ud800"', b"null", b"\xef\xbb\xbf", b"}", b'{"id": 7, "id": 8}', b'{"id": 7.0}']


def replies(chance):
    """Right replies of every form, to be damaged."""
    encoder = guest.Encoder(np)
    values = [
        np.eye(3),
        np.ones((2, 3), dtype=bool),
        np.arange(4),
        np.empty((0, 5)),
        (np.ones((4, 2)), np.eye(4)),
        [np.ones((2, 2)), None],
        np.array(1.5),
        "text",
        [[1.0, 2.0]],
    ]
    made = [encoder.encode(value, [0, chance.randrange(3)]) for value in values]
    made.append(({"kind": "raised", "error": "ValueError", "file": "a.py", "line": 3}, b""))
    made.append(({"kind": "loaded"}, b""))
    return [({"id": NUMBER, **header}, body) for header, body in made]


def anything(chance, depth=0):
    """A random JSON value out of the words that a reply is made of."""
    kind = chance.randrange(9 if depth < 4 else 5)
    if kind < 2:
        return chance.choice(NUMBERS)
    if kind < 4:
        return chance.choice(WORDS)
    if kind == 4:
        return chance.choice([None, True, False])
    if kind < 7:
        return [anything(chance, depth + 1) for _ in range(chance.randrange(5))]
    return {chance.choice(WORDS): anything(chance, depth + 1) for _ in range(chance.randrange(6))}


def changed(chance, value):
    """The value with one part of it replaced, somewhere inside."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: changed(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        return [*value[:at], changed(chance, value[at]), *value[at + 1 :]]
    return anything(chance)


def frame(chance, right):
    """One reply as bytes: random, right but for one part, or damaged as bytes or in its lengths."""
    header, body = chance.choice(right)
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        header = anything(chance)
    elif kind < 5:
        for _ in range(chance.randrange(1, 4)):
            header = changed(chance, header)
    encoded = bytearray(json.dumps(header).encode())
    if kind == 5:
        at = chance.randrange(len(encoded) + 1)
        encoded[at:at] = chance.choice(SCRAPS)
    elif kind == 6:
        encoded[chance.randrange(len(encoded))] = chance.randrange(256)
    if chance.random() < 0.2:
        body = chance.randbytes(chance.randrange(100))
    sizes = [len(encoded), len(body)]
    if kind == 7:
        sizes[chance.randrange(2)] = chance.choice([0, 1, 1 << 16, 1 << 23, (1 << 32) - 1])
    return protocol.LENGTHS.pack(*sizes) + encoded + body


def parse(sent):
    """What the host makes of the bytes of one frame; short ones are left to the deadline."""
    if len(sent) < protocol.LENGTHS.size:
        return None
    header, body = protocol.lengths(sent[: protocol.LENGTHS.size])
    rest = sent[protocol.LENGTHS.size :]
    return protocol.parse_reply(
        protocol.parse_header(rest[:header], NUMBER), rest[header : header + body]
    )


@pytest.mark.slow
def test_no_reply_crashes_hangs_or_swells_the_parent():
    chance = random.Random(6)
    right = replies(chance)
    outcomes = {"read": 0, "refused": 0}
    tracemalloc.start()
    longest = 0.0
    for _ in range(FRAMES):
        data = frame(chance, right)
        started = time.perf_counter()
        try:
            reply = parse(data)
            assert reply is None or isinstance(reply, (protocol.Reply, protocol.Raised))
            outcomes["read"] += 1
        except protocol.BadFrame:
            outcomes["refused"] += 1
        longest = max(longest, time.perf_counter() - started)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(outcomes.values()) == FRAMES
    assert min(outcomes.values()) > FRAMES // 50
    assert longest < 1
    assert peak < 64 << 20


class Piped(Guest):
    """A guest whose replies the test writes itself."""

    def __init__(self):
        self._asked = 0
        requests, self.wire = os.pipe(), os.pipe()
        self._replies, self._requests = self.wire[0], requests[1]
        self._read_end = requests[0]
        os.set_blocking(self.wire[0], False)
        os.set_blocking(requests[1], False)

    def _returncode(self):
        return 0

    def stop(self):
        os.close(self._replies)
        os.close(self._requests)
        os.close(self._read_end)


def answered(data, seconds=0.3):
    """What asking gives when these bytes come back and then the pipe is closed."""
    piped = Piped()
    piped._asked = NUMBER - 1

    def write():
        try:
            os.write(piped.wire[1], data)
        finally:
            os.close(piped.wire[1])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return piped.ask({"ask": "call"}, [], seconds)
    finally:
        writer.join()
        piped.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_the_exchange_ends_for_every_frame():
    """2,000 through a real pipe: cut short, they end in the guest's death, never in a hang."""
    chance = random.Random(7)
    right = replies(chance)
    signal.alarm(120)
    try:
        for _ in range(2000):
            try:
                reply = answered(frame(chance, right))
                assert reply is None or isinstance(reply, (protocol.Reply, protocol.Raised))
            except (protocol.BadFrame, GuestDied, GuestLate):
                pass
    finally:
        signal.alarm(0)


@pytest.mark.parametrize("sizes", [(1 << 16, 1 << 23), (0, 1 << 23)])
def test_a_promised_body_takes_no_memory_before_it_comes(sizes):
    tracemalloc.start()
    with pytest.raises(GuestDied):
        answered(protocol.LENGTHS.pack(*sizes) + b"x" * 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
