"""Tier 2: pytest and the candidate in one process, inside the sandbox; its report is treated as forgeable."""

from __future__ import annotations

import os
import sys
from typing import Any

from passband.grade.inside.memory import MemoryFinder
from passband.grade.inside.session import HiddenSession, compile_tests
from passband.sandbox.kernel.view import HIDDEN, REPO

__all__ = ["preload", "run"]


def preload(config: dict[str, Any]) -> HiddenSession:
    """Configure the session and load what nearly every test run loads."""
    import importlib

    for name in config["warm"]:
        importlib.import_module(name)
    session = HiddenSession(HIDDEN, judge=False)
    session.warm_up()
    return session


def run(session: HiddenSession, request: dict[str, Any], channels: list[int]) -> int:
    """Collect and run ``request["files"]`` against the tree in the working directory."""
    sys.path.insert(0, REPO)
    sys.dont_write_bytecode = True
    session.reporter.fd = channels[0]
    finder = MemoryFinder(HIDDEN, compile_tests(request["sources"], HIDDEN))
    sys.meta_path.insert(0, finder)
    items = session.collect(finder, request["files"])
    wanted = set(request["ids"])
    session.run([item for item in items if item.nodeid in wanted])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
