"""Tier 2: pytest and the candidate in one process, inside the sandbox; its report is treated as forgeable.

The same program, in runs without a candidate, compiles hidden tests and their twins.
"""

from __future__ import annotations

import marshal
import os
import sys
from typing import Any

import pytest

from passband.grade.inside import warm
from passband.grade.inside.printed import reopen
from passband.grade.inside.runner.direct import run_direct
from passband.grade.inside.runner.memory import MemoryFinder
from passband.grade.inside.runner.reporter import Reporter
from passband.grade.inside.runner.session import HiddenSession, number, warm_session
from passband.grade.inside.runner.strict import make_strict
from passband.grade.inside.twins.testcode import compile_design, compile_tests
from passband.sandbox.kernel.view import HIDDEN

__all__ = ["preload", "run"]


def preload(config: dict[str, Any]) -> HiddenSession | None:
    """Load what nearly every test run loads, and configure the session where every run will see it at one place."""
    made = warm_session(HIDDEN, judge=False) if config["isolation"] == "namespaces" else None
    make_strict()
    # After the session, whose own modules are there whatever a tree holds.
    warm.load(config["warm"])
    return made


def run(made: HiddenSession | None, request: dict[str, Any], channels: list[int]) -> int:
    """Compile tests, or collect and run them against the tree in the working directory."""
    if "sources" in request:
        return _compile(request, channels[0])
    reopen()
    hidden = f"{request['box']}/hidden"
    warm.unload(request["shadowed"])
    repo = f"{request['box']}/repo"
    sys.path[:0] = [repo, *(f"{repo}/{folder}" for folder in request["folders"])]
    sys.dont_write_bytecode = True
    finder = MemoryFinder(hidden, request.pop("code"), repo)
    sys.meta_path.insert(0, finder)
    reporter = Reporter()
    if not (request["direct"] and run_direct(finder, request["files"], request["keys"], reporter)):
        # Settings are read when a session is configured, and by its plugins; the one that waits has none.
        try:
            session = None if request["options"] else made
            session = session or HiddenSession(hidden, judge=False, options=request["options"])
            reporter = session.reporter
            _run_collected(session, finder, request)
        except pytest.UsageError as error:
            reporter.failed.update(dict.fromkeys(request["files"], f"pytest refuses the suite's settings: {error}"))
    reporter.write(channels[0])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


def _run_collected(session: HiddenSession, finder: MemoryFinder, request: dict[str, Any]) -> None:
    """Collect the tests with pytest, and run those that are asked for."""
    reporter = session.reporter
    items = session.collect(finder, request["files"])
    keys = [f"{file}::{unit}#{place}" for file, unit, place in number(items)]
    if request["keys"] is None:
        # Planning: say what there is, under both names.
        found = [[item.nodeid, key, item in session.plain] for item, key in zip(items, keys, strict=True)]
        reporter.send({"kind": "items", "items": found})
        wanted = set(keys)
    else:
        # By id where it was not known under which key a test would be found: that may take the candidate's own tree.
        ids = set(request["ids"])
        keys = [item.nodeid if item.nodeid in ids else key for item, key in zip(items, keys, strict=True)]
        wanted = {*request["keys"], *ids}
    reporter.names = {item.nodeid: key for item, key in zip(items, keys, strict=True)}
    session.run([item for item, key in zip(items, keys, strict=True) if key in wanted])


def _compile(request: dict[str, Any], channel: int) -> int:
    """Compile tests and say what came of it: (true, result) or (false, why not)."""
    answer: tuple[bool, Any]
    try:
        if "designs" in request:
            sources = request["sources"]
            answer = True, [compile_design(sources, seed, still, HIDDEN) for seed, still in request["designs"]]
        else:
            answer = True, compile_tests(request["sources"], request["files"], HIDDEN)
    except (SyntaxError, ValueError, RecursionError, KeyError) as error:
        answer = False, f"{type(error).__name__}: {error}"
    with os.fdopen(channel, "wb") as out:
        marshal.dump(answer, out)
    return 0
