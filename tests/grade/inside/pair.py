"""A judge and an executor in one process, each in a thread of its own, for tests of what crosses between them."""

from __future__ import annotations

import contextlib
import socket
import sys
import textwrap
import threading
import types
from typing import TYPE_CHECKING, Any

from passband.grade.inside.candidate.peer import CandidatePeer
from passband.grade.inside.judge.lazy import RemoteFinder
from passband.grade.inside.judge.peer import JudgePeer
from passband.grade.inside.rpc.wire import GoneError, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = __file__.rpartition("/")[0]


@contextlib.contextmanager
def pair(source: str) -> Iterator[tuple[JudgePeer, Any]]:
    """Yield a judge and its stand-in for a module with this source, which lives on the other side."""
    name = "candidate_of_the_test"
    module = types.ModuleType(name)
    module.__file__ = "/box/repo/candidate.py"
    sys.modules[name] = module
    exec(textwrap.dedent(source), module.__dict__)
    ours, theirs = socket.socketpair()
    executor = CandidatePeer(Wire(theirs.fileno()))

    def serve() -> None:
        with contextlib.suppress(GoneError):
            while True:
                executor.answer(executor.wire.receive())

    thread = threading.Thread(target=serve)
    finder = RemoteFinder(ROOT, [name])
    judge = finder.peer = JudgePeer(Wire(ours.fileno()), finder, ROOT)
    with ours, theirs:
        thread.start()
        try:
            ((good, stand_in),) = judge.ask("import", ((name, ""),))
            assert good
            yield judge, stand_in
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            thread.join()
            del sys.modules[name]
