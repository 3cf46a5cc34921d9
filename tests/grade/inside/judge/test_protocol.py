"""The trusted side against a process that does not keep to the protocol."""

from __future__ import annotations

import importlib.util
import random
import socket
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.grade.inside.rpc.wire import MAX_MESSAGE, GoneError, ProtocolError, Wire
from passband.grade.report import Report

_PATH = Path(__file__).parents[4] / "fuzz/protocol_fuzz.py"
_spec = importlib.util.spec_from_file_location("protocol_fuzz", _PATH)
assert _spec is not None
assert _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
sys.modules["protocol_fuzz"] = fuzz
_spec.loader.exec_module(fuzz)

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("seed", range(4))
def test_fuzzed_answers(seed, capsys):
    """Damaged and made-up answers end in an error of the judge's own, a sent exception, or a harmless value."""
    rng = random.Random(seed)
    with capsys.disabled():
        made = Counter(fuzz.check_answer(fuzz.answer(rng)) for _ in range(1500))
    assert made["ProtocolError"] > 100
    assert made["value"] > 50
    assert made["sent exception"] > 5


@pytest.mark.parametrize("seed", range(4))
def test_fuzzed_reports(seed):
    """A damaged report never raises, and an undamaged one is read as it stands."""
    rng = random.Random(seed)
    made = Counter(fuzz.check_report(fuzz.report(rng)) for _ in range(3000))
    assert made["all passed"] > 100
    assert made["not all passed"] > 100


@given(json_like)
@settings(max_examples=200, deadline=None)
def test_any_json_as_an_answer(value):
    """Any JSON at all is read or refused."""
    import json

    body = json.dumps(value).encode()
    fuzz.check_answer(len(body).to_bytes(4, "big") + body)


@given(st.binary())
@settings(max_examples=200, deadline=None)
def test_any_bytes_as_a_report(data):
    """Any bytes at all are a report of nothing that passed."""
    assert not Report(data).passed("a")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "gone"),
        (b"\x00\x00", "gone"),
        (b"\x00\x00\x00\x05{}", "gone"),
        ((MAX_MESSAGE + 1).to_bytes(4, "big"), "bytes"),
        (b"\x00\x00\x00\x02[]", "not an object"),
        (b"\x00\x00\x00\x02{[", "not JSON"),
        (b"\x00\x00\x00\x02\xff\xfe", "not JSON"),
        ((200_000).to_bytes(4, "big") + b"[" * 200_000, "not JSON"),
    ],
)
def test_messages_that_are_none(data, word):
    """Cut, too long, no JSON, too deep: an error that says so."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises((GoneError, ProtocolError), match=word):
            Wire(ours.fileno(), time.monotonic() + 5).receive()


def test_no_answer_in_time():
    """A process that says nothing, or trickles, is not waited for beyond the deadline."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        started = time.monotonic()
        theirs.sendall(b"\x00\x00")
        with pytest.raises(GoneError, match="no answer"):
            Wire(ours.fileno(), started + 0.3).receive()
        assert 0.2 < time.monotonic() - started < 3


def test_reports_by_the_rules():
    """Missing, doubled, skipped, expected to fail, miscounted, continued after its end: none of them is passed."""

    def line(**record):
        import json

        return json.dumps(record).encode() + b"\n"

    def phases(name, **changes):
        for when in ("setup", "call", "teardown"):
            record = {"kind": "report", "id": name, "when": when, "outcome": "passed", "xfail": False}
            yield line(**{**record, **(changes if when == "call" else {})})

    def read(lines, count=3, after=b""):
        return Report(b"".join(lines) + line(kind="finish", count=count) + after)

    good = list(phases("a"))
    assert read(good).passed("a")
    assert not read(good[:2], 2).passed("a")
    assert not read([*good, good[1]], 4).passed("a")
    assert not read(good[::-1]).passed("a")
    assert not read(phases("a", outcome="skipped")).passed("a")
    assert not read(phases("a", xfail=True)).passed("a")
    assert not read(good, 4).passed("a")
    assert not read(good, after=good[0]).passed("a")
    assert not read(good, after=line(kind="finish", count=3)).passed("a")
    assert not Report(b"".join(good)).passed("a")
    failed = read(phases("a", outcome="failed", error="AssertionError", message="assert 1 == 2"))
    assert failed.failed_as_due("a")
    assert "1 == 2" in failed.outcome("a").why
    assert not read(phases("a", outcome="failed", error="TypeError", message="x")).failed_as_due("a")
    assert "not run" in read(good).outcome("b").why
    assert "timed out" in Report(b"", "timed out after 3 s").outcome("a").why
