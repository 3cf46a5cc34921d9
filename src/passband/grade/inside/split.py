"""Tier 1, the judge's program: a process for each case that has collected its hidden tests, forked for each run."""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from passband.grade.inside.codec import UncrossableError
from passband.grade.inside.judge import JudgePeer
from passband.grade.inside.lazy import RemoteFinder, keep
from passband.grade.inside.memory import MemoryFinder
from passband.grade.inside.session import HiddenSession, compile_tests
from passband.grade.inside.wire import GoneError, ProtocolError, Wire
from passband.sandbox.kernel.view import HIDDEN

if TYPE_CHECKING:
    import pytest

__all__ = ["branch", "preload", "run"]


class _Case(NamedTuple):
    session: HiddenSession
    finder: RemoteFinder
    memory: MemoryFinder
    items: list[pytest.Item]


def preload(config: dict[str, Any]) -> HiddenSession:
    """Configure the session."""
    import importlib

    for name in config["warm"]:
        importlib.import_module(name)
    session = HiddenSession(HIDDEN, judge=True)
    session.warm_up()
    return session


def branch(session: HiddenSession, request: dict[str, Any], channels: list[int]) -> _Case:
    """Collect a case's tests, and say on the first channel what was found and what stands in the way."""
    memory = MemoryFinder(HIDDEN, compile_tests(request["sources"], HIDDEN))
    finder = RemoteFinder(HIDDEN, request["names"])
    finder.install()
    sys.meta_path.insert(0, memory)
    items = session.collect(memory, request["files"])
    answer = {"ids": [item.nodeid for item in items], "refused": finder.refused, "failed": session.reporter.failed}
    with os.fdopen(channels[0], "w") as out:
        json.dump(answer, out)
    return _Case(session, finder, memory, items)


def run(case: _Case, request: dict[str, Any], channels: list[int]) -> int:
    """Run tests against the candidate at the other end of the second channel; report on the first."""
    gc.disable()  # a short life: what it leaves goes with it
    reporter = case.session.reporter
    reporter.fd = channels[0]
    wire = Wire(socket.socket(fileno=channels[1]), time.monotonic() + request["wall_s"])
    peer = JudgePeer(wire, case.finder, HIDDEN)
    wanted = set(request["ids"])
    items = [item for item in case.items if item.nodeid in wanted]
    broken: dict[str, str] = {}
    case.finder.peer = peer
    try:
        broken = _keep_promises(case, peer, items)
    except (GoneError, ProtocolError, UncrossableError) as error:
        broken = {"": str(error)}
    for item in items:
        file = str(item.path)
        for key in ("", file):
            if key in broken:
                reporter.send({"kind": "collect", "id": item.nodeid.partition("::")[0], "message": broken[key]})
                break
    fine = [item for item in items if "" not in broken and str(item.path) not in broken]
    case.session.run(fine, after=lambda id_: _after(id_, peer, reporter))
    return 0


def _keep_promises(case: _Case, peer: JudgePeer, items: list[pytest.Item]) -> dict[str, str]:
    """Import all that hidden files import; returns file → why it could not be."""
    keys = list(case.finder.wanted)
    found = peer.ask("import", [list(k) for k in keys])
    broken: dict[str, str] = {}
    values: dict[tuple[str, str], Any] = {}
    if type(found) is not list or len(found) != len(keys):
        raise ProtocolError("an import that is none")
    tests = {str(item.path) for item in case.items}
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
    keep(values, case.memory.loaded, items)
    return broken


def _after(id_: str, peer: JudgePeer, reporter: Any) -> None:
    """Note what the verdict on this test rests on."""
    if peer.touched or peer.uncrossed:
        reporter.send(
            {"kind": "note", "id": id_, "touched": peer.touched, "uncrossed": peer.uncrossed[:3]},
        )
        peer.touched, peer.uncrossed = False, []
