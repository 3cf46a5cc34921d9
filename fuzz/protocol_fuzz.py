"""Throw answers that no honest process gives at the trusted side of tier 1, and damaged reports at their reader.

    python fuzz/protocol_fuzz.py --runs 1000000 --seed 1          damage of our own that knows the protocol
    python fuzz/protocol_fuzz.py --atheris CORPUS -runs=100000    coverage-guided, where atheris is installed

Whatever comes in: the judge raises one of its own three errors, or the exception that it was sent, and nothing else;
what it decodes is built of exact built-in types and stand-ins; reading a report never raises.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import socket
import sys
import time
from collections import Counter
from pathlib import Path

from passband.grade.inside.judge.lazy import RemoteFinder
from passband.grade.inside.judge.peer import JudgePeer
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.wire import GoneError, ProtocolError, Wire
from passband.grade.report import Report

__all__ = ["answer", "check_answer", "check_report", "report"]

_HARMLESS = frozenset({"builtins", "collections", "decimal", "datetime", "fractions", "pathlib", "re", "uuid"})
_WORDS = (
    *("m", "k", "c", "x", "t", "z", "b", "v", "i", "h", "n", "j", "y", "o", "a", "bt", "w", "s", "p", "text", "cause"),
    *("r", "e", "q", "u", "d", "f", "no", "q", "mod", "g", "quiet", "context"),
)
_ATOMS = (
    *(None, True, False, 0, 1, -1, -2, 2**40, 1.5, "", "x", "list", "dict", "set", "deque", "int", "type", "Exception"),
    *("ValueError", "KeyboardInterrupt", "AAAA", "!!", "0xff", "os", "system", "__class__", "__dict__", "Decimal"),
)
_GOOD = (
    {"i": 1, "r": 17},
    {"i": 1, "r": {"t": [1, {"m": -5, "k": "list", "c": [1, {"m": -5}]}]}},
    {"i": 1, "r": {"m": -6, "k": "dict", "c": [["a"], [{"b": "AA=="}]]}, "u": [], "p": ["out", "err"]},
    {"i": 1, "r": {"v": ["Decimal", "1.5"]}},
    {"i": 1, "r": {"h": -7, "k": {"c": -8, "n": "C", "q": "C", "mod": "m", "b": [], "d": ["__len__"], "p": ["go"]}}},
    {"i": 1, "r": {"h": -9, "n": "f"}},
    {"i": 1, "r": {"h": -10, "k": {"c": -11, "n": "I", "b": [{"bt": "int"}], "d": ["__eq__"], "v": "int"}, "w": 3}},
    {"i": 1, "e": {"h": -12, "x": {"bt": "ValueError"}, "a": ["no"], "text": "no", "p": [["code", 1]]}},
    {"i": 1, "e": {"h": -13, "x": {"c": -14, "n": "Mine", "b": [{"bt": "KeyError"}], "d": []}, "a": [1], "text": "x"}},
    {"i": 2, "q": "call", "a": [{"o": 1}, {"t": []}, {"t": []}]},
    {"i": 1, "no": "cannot"},
    {"i": 1, "r": {"y": {"bt": "int"}}, "f": [[1, 1]], "d": [1]},
)


def _value(rng: random.Random, depth: int) -> object:
    if depth <= 0 or rng.random() < 0.4:
        return rng.choice(_ATOMS)
    if rng.random() < 0.4:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(_WORDS): _value(rng, depth - 1) for _ in range(rng.randrange(4))}


def _damaged(rng: random.Random, value: object, depth: int = 0) -> object:
    """Change one place or a few of a good message."""
    if rng.random() < 0.12 or depth > 6:
        return _value(rng, 3)
    if isinstance(value, dict):
        out = {k: _damaged(rng, v, depth + 1) if rng.random() < 0.5 else v for k, v in value.items()}
        if out and rng.random() < 0.15:
            out.pop(rng.choice(sorted(out)))
        if rng.random() < 0.15:
            out[rng.choice(_WORDS)] = _value(rng, 2)
        return out
    if isinstance(value, list):
        return [_damaged(rng, v, depth + 1) if rng.random() < 0.5 else v for v in value]
    return value


def answer(rng: random.Random) -> bytes:
    """Make the bytes of an answer: damaged, made up, or no message at all."""
    kind = rng.random()
    if kind < 0.05:
        return rng.randbytes(rng.randrange(40))
    body = json.dumps(_damaged(rng, rng.choice(_GOOD)) if kind < 0.8 else _value(rng, 5)).encode()
    if kind > 0.97:
        body = body[: rng.randrange(len(body) + 1)]
    size = len(body) if rng.random() < 0.97 else rng.randrange(1 << 32)
    return size.to_bytes(4, "big") + body


def _sent(error: BaseException, data: bytes) -> str:
    """Check that an exception is one that the other side sent, raised where those are raised."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = place.tb_frame.f_code.co_filename if place is not None else ""
    if b'"e"' not in data or not where.endswith("peer.py"):
        raise AssertionError(f"{error!r} was raised, not sent")
    if type(error) in {KeyboardInterrupt, GeneratorExit}:
        raise AssertionError(f"{error!r} would stop the judge")
    return "sent exception"


def check_answer(data: bytes) -> str:
    """Let a judge read bytes as the answer to its first question; returns what it made of them.

    Raises
    ------
    AssertionError
        Where something got through that must not.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        finder = RemoteFinder("/nowhere", ["m"])
        peer = finder.peer = JudgePeer(Wire(ours.fileno(), time.monotonic() + 5), finder, "/nowhere")
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        try:
            got = peer.ask("call", len, ())
        except (GoneError, ProtocolError, UncrossableError) as error:
            return type(error).__name__
        except BaseException as error:  # noqa: BLE001 - anything may have been sent
            return _sent(error, data)
        kind = type(got)
        assert kind.__module__ in {
            "builtins",
            "collections",
            "decimal",
            "datetime",
            "fractions",
            "re",
            "uuid",
        } or hasattr(got, "_passband_peer"), f"{kind} got through"
        return "value"


def report(rng: random.Random) -> bytes:
    """Make the bytes of a report: records damaged, doubled, dropped, cut."""
    names = ["a", "b", "c"]
    records: list[object] = []
    records += [
        {"kind": "report", "id": name, "when": when, "outcome": "passed", "xfail": False}
        for name in names
        for when in ("setup", "call", "teardown")
    ]
    records.append({"kind": "finish", "count": 9})
    for _ in range(rng.randrange(4)):
        where = rng.randrange(len(records))
        records[where : where + 1] = [_damaged(rng, records[where]), *records[where : where + rng.randrange(2)]]
    data = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    return data if rng.random() < 0.9 else data[: rng.randrange(len(data))] + rng.randbytes(rng.randrange(9))


def check_report(data: bytes) -> str:
    """Read a report; returns whether it says that all three tests passed."""
    read = Report(data)
    outcomes = [read.outcome(name) for name in ("a", "b", "c")]
    assert all(o.passed or o.why for o in outcomes)
    assert all(read.passed(n) == o.passed for n, o in zip(("a", "b", "c"), outcomes, strict=True))
    return "all passed" if all(o.passed for o in outcomes) else "not all passed"


def check_any(data: bytes) -> str:
    """Check bytes whose first one says what they are: a stream to the judge, one message to it, or a report."""
    kind, rest = data[:1], data[1:]
    if kind == b"r":
        return check_report(rest)
    return check_answer(rest if kind == b"s" else len(rest).to_bytes(4, "big") + rest)


def guided(corpus: Path, arguments: list[str]) -> None:
    """Let atheris choose the inputs, starting from good messages and a good report."""
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)
    for number, good in enumerate(_GOOD):
        (corpus / f"message-{number}").write_bytes(b"m" + json.dumps(good).encode())
    for seed in range(8):
        (corpus / f"report-{seed}").write_bytes(b"r" + report(random.Random(seed)))  # noqa: S311 - to be repeatable

    def run(data: bytes) -> None:
        printed = io.StringIO()  # by the candidate, as it says
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            check_any(data)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], run)
    atheris.Fuzz()


def main() -> None:
    """Run until the count is reached, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", type=Path, metavar="CORPUS", help="folder to keep inputs in; the rest goes to it")
    options, rest = parser.parse_known_args()
    if options.atheris:
        guided(options.atheris, rest)
        return
    rng = random.Random(options.seed)  # noqa: S311 - to be repeatable
    made: Counter[str] = Counter()
    out, quiet = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)  # what the candidate "prints"
    for run in range(options.runs):
        bytes_of, check = (answer, check_answer) if run % 2 else (report, check_report)
        data = bytes_of(rng)
        try:
            made[check(data)] += 1
        except BaseException:
            os.write(out, f"run {run}: {data!r}\n".encode())
            raise
    os.write(out, f"{dict(made)}\n".encode())


if __name__ == "__main__":
    main()
