"""Tier 1, the judge's program: a process for each case that has collected its hidden tests, forked for each run."""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import marshal
import os
import resource
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from passband.grade.inside.judge.lasting import Guard, lasting
from passband.grade.inside.judge.lazy import RemoteFinder
from passband.grade.inside.judge.peer import JudgePeer
from passband.grade.inside.judge.places import Places
from passband.grade.inside.printed import mute
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.wire import GoneError, ProtocolError, Wire
from passband.grade.inside.runner.memory import MemoryFinder
from passband.grade.inside.runner.session import HiddenSession, number, warm_session
from passband.sandbox.kernel import messages
from passband.sandbox.kernel.view import HIDDEN

if TYPE_CHECKING:
    import pytest

    from passband.grade.inside.runner.reporter import Reporter

__all__ = ["branch", "preload", "run"]

_COLLECT_EVERY, _COLLECT_AT = 64, 50_000
_MAX_JOBS = 1000


class _Case(NamedTuple):
    session: HiddenSession
    finder: RemoteFinder
    memory: MemoryFinder
    places: Places
    items: dict[str, pytest.Item]
    """By key: file, unit and place."""


def preload(config: dict[str, Any]) -> HiddenSession | None:
    """Load what nearly every test run loads, and configure the session where every case will see it at one place."""
    for name in config["warm"]:
        importlib.import_module(name)
    return warm_session(HIDDEN, judge=True) if config["isolation"] == "namespaces" else None


def branch(warm: HiddenSession | None, request: dict[str, Any], channels: list[int]) -> _Case:
    """Collect a case's tests, and say on the first channel what was found and what stands in the way."""
    mute()
    hidden = f"{request['box']}/hidden"
    session = warm or warm_session(hidden, judge=True)
    memory = MemoryFinder(hidden, request["code"])
    finder = RemoteFinder(HIDDEN, request["names"])
    finder.install()
    sys.meta_path.insert(0, memory)
    items = list(session.collect(memory, request["files"]))
    keys = [f"{file}::{unit}#{place}" for file, unit, place in number(items)]
    answer = {
        "items": [[item.nodeid, key] for item, key in zip(items, keys, strict=True)],
        "refused": finder.refused,
        "failed": session.reporter.failed,
        "lasting": all(item in session.plain for item in items) and lasting(memory.loaded),
    }
    session.reporter.names = {item.nodeid: key for item, key in zip(items, keys, strict=True)}
    with os.fdopen(channels[0], "w") as out:
        json.dump(answer, out)
    return _Case(session, finder, memory, Places(memory.loaded, items), dict(zip(keys, items, strict=True)))


def run(case: _Case, request: dict[str, Any], channels: list[int]) -> int:
    """Run tests against a candidate and report; or, as a worker, do so again and again."""
    gc.disable()  # a short life, or a look now and then: what it leaves goes with it
    if "keys" in request:
        _judge(case, request, channels[1])
        case.session.reporter.write(channels[0])
        return 0
    mute()
    control = socket.socket(fileno=channels[0])
    guard = Guard(case.memory.loaded)
    for count in itertools.count(1):
        taken = messages.receive(control)
        if taken is None:
            break
        message, fds = taken
        _judge(case, marshal.loads(message), fds[0])
        case.finder.peer = None
        case.places.fill({})
        # What is counted are objects made and not freed since the last time.
        if count % _COLLECT_EVERY == 0 or gc.get_count()[0] > _COLLECT_AT:
            gc.collect()
        # The first byte says whether this process is as it was; if not, the next run must not be judged by it.
        body = (b"1" if guard.unchanged() and count < _MAX_JOBS else b"0") + case.session.reporter.finish()
        control.sendall(len(body).to_bytes(4, "big") + body)
    return 0


def _judge(case: _Case, request: dict[str, Any], line: int) -> None:
    """Run tests against the candidate at the other end of the line, which is closed in the end.

    When all have passed and some of them took a candidate's object at its word, the twins of those are run as well.
    """
    reporter = case.session.reporter
    _bound(request["cpu_s"], request["mem_mb"])
    wire = Wire(line, time.monotonic() + request["wall_s"])
    peer = case.finder.peer = JudgePeer(wire, case.finder, case.session.root)
    items = [case.items[key] for key in request["keys"] if key in case.items]
    try:
        broken = _keep_promises(case, peer)
    except (GoneError, ProtocolError, UncrossableError) as error:
        broken = {"": str(error)}
    for file, why in broken.items():
        for item in items:
            if file in {"", str(item.path)}:
                reporter.send({"kind": "collect", "id": item.nodeid.partition("::")[0], "message": why})
    fine = [item for item in items if "" not in broken and str(item.path) not in broken]
    notes = _Notes(peer, reporter)
    failed = case.session.run(fine, after=notes.after)
    if not failed and not broken:
        twins = [key for id_ in notes.touched for key in request["twins"].get(reporter.names[id_], ())]
        case.session.run([case.items[key] for key in twins], after=notes.after)
    os.close(line)
    signal.setitimer(signal.ITIMER_PROF, 0)


def _bound(cpu_s: float, mem_mb: float) -> None:
    """Bound what tests may use up on what a candidate returns: to compare, print or search it may have no end.

    The signal ends the process, in the middle of whatever the interpreter would not be interrupted in.
    """
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = int(mem_mb * 2**20)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(OSError, ValueError):  # where shared libraries count, any process is over it
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class _Notes:
    """What the verdict on each test rests on."""

    def __init__(self, peer: JudgePeer, reporter: Reporter) -> None:
        self.peer, self.reporter = peer, reporter
        self.touched: list[str] = []

    def after(self, id_: str) -> None:
        """Note it, once the test is over."""
        peer = self.peer
        if peer.touched:
            self.touched.append(id_)
        if peer.touched or peer.uncrossed or peer.lost:
            wrong = peer.lost or (peer.uncrossed[0] if peer.uncrossed else "")
            note = {"kind": "note", "id": self.reporter.names[id_], "wrong": wrong, "touched": peer.touched}
            self.reporter.send(note)
            peer.touched, peer.uncrossed = False, []


def _keep_promises(case: _Case, peer: JudgePeer) -> dict[str, str]:
    """Import all that hidden files import; returns file → why it could not be."""
    keys = list(case.finder.wanted)
    has_numpy = "numpy" in sys.modules
    found = peer.ask("import", tuple(keys), has_numpy)
    peer.arrays = has_numpy
    broken: dict[str, str] = {}
    values: dict[tuple[str, str], Any] = {}
    if type(found) is not tuple or len(found) != len(keys):
        raise ProtocolError("an import that is none")
    tests = {str(item.path) for item in case.items.values()}
    for key, pair in zip(keys, found, strict=True):
        if type(pair) is not tuple or len(pair) != 2:
            raise ProtocolError("an import that is none")
        good, value = pair
        if good is True:
            values[key] = value
        else:
            files = case.finder.wanted[key]
            for file in files if files <= tests else [""]:  # a helper that fails takes every test with it
                broken.setdefault(file, f"{type(value).__name__}: {value}")
    case.places.fill(values)
    return broken
