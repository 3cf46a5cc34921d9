"""Tier 1 from the host's side: a judge that knows the tests and an executor that knows the candidate, two processes."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from passband.grade.report import TestRun, ending, read_notes, read_report
from passband.grade.whole import WARM, test_files
from passband.records import Limits
from passband.sandbox.host import ForkServer, Server, interpreter_binds, package_paths
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import EvalCase
    from passband.sandbox.tiers import TierReport

__all__ = ["SplitRunner", "top_level_names"]

_JUDGE_LIMITS = Limits(wall_s=60, cpu_s=60, mem_mb=4096, file_mb=64, pids=512)
_KEPT = 64


def top_level_names(tree: Mapping[str, bytes]) -> list[str]:
    """Return the names under which the modules of a tree are imported from its root."""
    names = set()
    for path in tree:
        first, slash, _rest = path.partition("/")
        if path.endswith(".py"):
            names.add(first if slash else first.removesuffix(".py"))
    return sorted(n for n in names if n.isidentifier())


@dataclass
class _Judge:
    server: Server
    ids: frozenset[str]
    refused: tuple[str, ...]
    """Why the case cannot be judged here; empty where it can."""


class SplitRunner:
    """Runs hidden tests in one process against a candidate in another.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._trunk: ForkServer | None = None
        self._executor: ForkServer | None = None
        self._judges: OrderedDict[int, tuple[EvalCase, _Judge]] = OrderedDict()
        self._making: dict[int, threading.Lock] = {}

    def _servers(self) -> tuple[ForkServer, ForkServer]:
        with self._lock:
            setting = self._report.setting
            if self._trunk is None or not self._trunk.alive:
                binds = tuple(interpreter_binds(packages=True))
                config: dict[str, Any] = {"paths": package_paths(self._report.setting), "warm": WARM}
                self._trunk = ForkServer("passband.grade.inside.split", replace(setting, binds=binds), config)
            if self._executor is None or not self._executor.alive:
                binds = tuple(interpreter_binds(packages=False))
                config = {"loopback": False, "warm": [n for n in WARM if "_pytest" not in n and "unittest" not in n]}
                self._executor = ForkServer("passband.grade.inside.executor", replace(setting, binds=binds), config)
            return self._trunk, self._executor

    def _judge(self, case: EvalCase) -> _Judge:
        with self._lock:
            found = self._judges.get(id(case))
            if found is not None and found[1].server.alive:
                self._judges.move_to_end(id(case))
                return found[1]
            making = self._making.setdefault(id(case), threading.Lock())
        with making:
            with self._lock:
                found = self._judges.get(id(case))
                if found is not None and found[1].server.alive:
                    return found[1]
            made = self._make(case)
            with self._lock:
                self._judges[id(case)] = (case, made)
                self._making.pop(id(case), None)
                old = self._judges.popitem(last=False)[1][1] if len(self._judges) > _KEPT else None
            if old is not None:
                old.server.close()
            return made

    def _make(self, case: EvalCase) -> _Judge:
        trunk, _executor = self._servers()
        spec: Any = case.grader_spec
        names = top_level_names(case.workspace)
        payload = {
            "tree": {},
            "beside": {path: b"" if path.endswith(".py") else data for path, data in case.hidden.items()},
            "sources": {path: data for path, data in case.hidden.items() if path.endswith(".py")},
            "files": test_files((*spec.fail_to_pass, *spec.pass_to_pass)),
            "names": names,
        }
        server, said = trunk.branch(payload)
        answer = json.loads(said)
        refused = [*answer["refused"], *answer["failed"].values()]
        shadow = sorted(set(names) & sys.stdlib_module_names)
        if shadow:
            refused.append(f"the tree's {shadow[0]}.py has the name of a module of the standard library")
        return _Judge(server, frozenset(answer["ids"]), tuple(refused))

    def refusal(self, case: EvalCase, ids: Sequence[str]) -> str:
        """Say why a case cannot be judged in this tier, as far as that shows without running it; empty if it can.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed.
        """
        judge = self._judge(case)
        if judge.refused:
            return judge.refused[0]
        missing = [id_ for id_ in ids if id_ not in judge.ids]
        return f"{missing[0]} is not found when the tests are collected without a candidate" if missing else ""

    def run(self, case: EvalCase, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits) -> TestRun:
        """Run the tests on a tree.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed, twice.
        """
        try:
            return self._once(case, tree, ids, limits)
        except SandboxFaultError:
            return self._once(case, tree, ids, limits)

    def _once(self, case: EvalCase, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits) -> TestRun:
        judge = self._judge(case)
        _trunk, executor = self._servers()
        ours, theirs = socket.socketpair()
        with ours, theirs, contextlib.ExitStack() as stack:
            candidate = executor.start({"tree": tree}, limits, [theirs.fileno()])
            stack.callback(candidate.cancel)
            read, write = os.pipe()
            try:
                payload = {"ids": list(ids), "wall_s": limits.wall_s}
                judging = judge.server.start(
                    payload, judge_limits(limits), [write, ours.fileno()], wall_s=limits.wall_s + 5
                )
            except BaseException:
                os.close(read)
                raise
            finally:
                os.close(write)
            # Now only the two processes hold the line between them: when one ends, the other knows.
            ours.close()
            theirs.close()
            verdict = judging.wait(read)
            stack.pop_all()
        end = candidate.stop()
        reason = ending(end, limits) if end is not None else ""
        if not reason and verdict.timed_out:
            reason = f"timed out after {limits.wall_s:g} s"
        touched, uncrossed = read_notes(verdict.result)
        return TestRun(
            read_report(verdict.result, ids, reason),
            f"split@{self._report.label}",
            (verdict.log + (end.log if end else b"")).decode(errors="replace"),
            verdict.wall_s,
            verdict.cpu_s + (end.cpu_s if end else 0.0),
            touched=touched,
            uncrossed=uncrossed,
        )

    def close(self) -> None:
        """End the servers."""
        with self._lock:
            for _case, judge in self._judges.values():
                judge.server.close()
            self._judges.clear()
            for server in (self._trunk, self._executor):
                if server is not None:
                    server.close()
            self._trunk = self._executor = None


def judge_limits(limits: Limits) -> Limits:
    """Return what the judge may use against a candidate with these limits: more than that, but not without end."""
    import msgspec

    return msgspec.structs.replace(_JUDGE_LIMITS, cpu_s=2 * limits.wall_s, output_kb=limits.output_kb)
