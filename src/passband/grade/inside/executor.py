"""Tier 1, the candidate's program: runs its code, answers the judge, knows no test."""

from __future__ import annotations

import importlib
import os
import socket
import sys
from typing import Any

from passband.grade.inside import warm
from passband.grade.inside.candidate.finder import TreeFinder
from passband.grade.inside.candidate.peer import CandidatePeer
from passband.grade.inside.rpc.wire import GoneError, Wire

__all__ = ["preload", "run"]


def preload(config: dict[str, Any]) -> CandidatePeer:
    """Load what candidates commonly import, make the peer that every fork starts from, and use it once.

    The interpreter rewrites code as it runs; what it has rewritten before the fork is shared.
    """
    warm.load(config["warm"])
    sys.dont_write_bytecode = True
    sys.argv = [""]
    _warm_up()
    return CandidatePeer(Wire(-1))


def _warm_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer, judge = CandidatePeer(Wire(theirs.fileno())), Wire(ours.fileno())
        empty: dict[str, list[Any]] = {"t": []}
        for turn in range(1, 20):
            judge.send({"a": [{"t": [{"t": ["string", "capwords"]}]}], "i": turn, "q": "import"})
            peer.answer(peer.wire.receive())
            ref = judge.receive()["r"]["t"][0]["t"][1]["h"]
            args = {"t": ["a b", None, 1.5, {"m": turn * 2, "k": "list", "c": [1, 2]}][: 1 if turn % 2 else 4]}
            judge.send({"a": [{"o": ref}, args, empty], "i": turn, "q": "call"})
            peer.answer(peer.wire.receive())
            judge.receive()
    _warm_up_imports()


def _warm_up_imports() -> None:
    finder = TreeFinder(os.path.dirname(os.__file__))
    sys.meta_path.insert(0, finder)
    kept = sys.modules["keyword"]
    for _turn in range(10):
        del sys.modules["keyword"]
        importlib.import_module("keyword")
    sys.modules["keyword"] = kept
    sys.meta_path.remove(finder)


def run(peer: CandidatePeer, request: dict[str, Any], channels: list[int]) -> int:
    """Answer the judge until it hangs up."""
    warm.unload(request["shadowed"])
    root = f"{request['box']}/repo"
    sys.path.insert(0, root)
    peer.tree = TreeFinder(root)
    sys.meta_path.insert(len(sys.meta_path) - 1, peer.tree)  # before the path finder, which the tree leads
    peer.wire.fd = channels[0]
    sys.stdout, sys.stderr = peer.out, peer.err
    try:
        while True:
            peer.answer(peer.wire.receive())
    except GoneError:
        os._exit(0)
    return 1
