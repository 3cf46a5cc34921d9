"""Tier 1 from the host's side: a judge that knows the tests and an executor that knows the candidate, two processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from passband.grade.judges import Judge, Judges
from passband.grade.material import Material, shadowed, top_level_names
from passband.grade.report import Report, ending, timed_out
from passband.grade.warm import LEAN, WARM
from passband.records import Limits
from passband.sandbox.forkserver import ForkServer
from passband.sandbox.keeper import Keeper
from passband.sandbox.runs import Run, RunEnd, SandboxFaultError
from passband.sandbox.setting import interpreter_binds, package_folders
from passband.sandbox.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import EvalCase
    from passband.sandbox.setting import Setting
    from passband.sandbox.tiers import TierReport

__all__ = ["ExecutorKind", "SplitRunner"]

_JUDGE_LIMITS = Limits(wall_s=60, cpu_s=60, mem_mb=4096, file_mb=64, pids=512)
_WORKER_LIMITS = Limits(wall_s=1e6, cpu_s=1e6, mem_mb=4096, file_mb=64, pids=512)
_MARGIN_S = 5.0
_MARGIN_CPU_S, _MARGIN_MB = 1.0, 512


class ExecutorKind(NamedTuple):
    """What a candidate's process has at hand."""

    full: bool = False
    """Whether the dearer modules of the standard library are loaded before the fork."""
    packages: bool = False
    """Whether installed packages may be imported."""
    numpy: bool = False
    """Whether numpy is loaded before the fork, too."""
    hash_seed: int = 0
    """What the order of its sets depends on."""


class _Job(NamedTuple):
    request: Mapping[str, Any]
    """For the judge."""
    tree: Mapping[str, bytes]
    base: Mapping[str, bytes]
    limits: Limits
    kind: ExecutorKind


class SplitRunner:
    """Runs hidden tests in one process against a candidate in another.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._report = report
        self._trunks = Keeper(self._start_trunk)
        self._executors = Keeper(self._start_executor)
        self._judges = Judges(self._make)

    @property
    def label(self) -> str:
        """The tier's name in verdicts."""
        return f"split@{self._report.label}"

    def _start_trunk(self, setting: Setting) -> ForkServer:
        config = {"paths": package_folders(), "warm": [*WARM, "_pytest.unittest", "unittest.mock"]}
        return ForkServer("passband.grade.inside.split", setting, config)

    def _start_executor(self, kind: ExecutorKind) -> ForkServer:
        binds = tuple(interpreter_binds(packages=kind.packages))
        setting = replace(self._report.setting, binds=binds, hash_seed=kind.hash_seed)
        names = (*(WARM if kind.full else LEAN), *(("numpy",) if kind.numpy else ()))
        config = {"warm": names, "paths": package_folders() if kind.packages else ()}
        return ForkServer("passband.grade.inside.executor", setting, config)

    def _make(self, case: EvalCase, material: Material) -> Judge:
        names = top_level_names(case.workspace)
        payload = {
            "tree": {},
            "beside": material.beside(material.code),
            "code": material.code,
            "files": [*material.files, *(v for found in material.variants.values() for v in found)],
            "names": names,
        }
        setting = replace(self._report.setting, binds=tuple(interpreter_binds(packages=True)))
        server, said = self._trunks.get(setting).branch(payload)
        answer = json.loads(said)
        shadow = shadowed(case.workspace)
        refused = [f"the tree's {name} has the name of a module of the standard library" for name in shadow]
        refused += [*answer["refused"], *answer["failed"].values()]
        return Judge(server, dict(answer["items"]), tuple(refused), answer["lasting"])

    def collected(self, case: EvalCase, material: Material) -> tuple[Mapping[str, str], str]:
        """Collect a case's tests without a candidate.

        Returns
        -------
        mapping, str
            Test id → key, and why the case cannot be judged in this tier: empty where nothing speaks against it yet.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed.
        """
        with self._judges.hold(case, material) as judge:
            return judge.items, judge.refused[0] if judge.refused else ""

    def run(
        self,
        case: EvalCase,
        material: Material,
        keys: Sequence[str],
        tree: Mapping[str, bytes],
        limits: Limits,
        *,
        twins: Mapping[str, Sequence[str]],
        executor: ExecutorKind,
    ) -> tuple[Report, RunEnd]:
        """Run tests on a tree.

        Parameters
        ----------
        case, material
            The case and its tests.
        keys : sequence of str
            The tests to run.
        tree : mapping
            The candidate's tree.
        limits : Limits
            What the candidate may use.
        twins : mapping
            Key → keys of its twins, which are run where the outcome rests on a candidate's object.
        executor : ExecutorKind
            What the candidate's process has at hand.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed, twice.
        """
        request = {
            "keys": list(keys),
            "twins": {k: list(v) for k, v in twins.items()},
            "wall_s": limits.wall_s,
            "cpu_s": _judge_cpu(limits),
            "mem_mb": limits.mem_mb + _MARGIN_MB,
        }
        job = _Job(request, tree, material.base, limits, executor)
        for last in (False, True):
            try:
                with self._judges.hold(case, material) as judge:
                    # Whatever becomes of a worker: a fresh process decides whether the candidate did it.
                    done = self._by_worker(judge, job) if judge.lasting else None
                    return done if done is not None else self._by_fork(judge, job)
            except SandboxFaultError:
                if last:
                    raise
        raise AssertionError("unreachable")

    def _start(self, job: _Job, line: int) -> Run:
        payload = {"tree": job.tree, "shadowed": shadowed(job.tree)}
        return self._executors.get(job.kind).start(payload, job.limits, [line], base=job.base)

    def _by_worker(self, judge: Judge, job: _Job) -> tuple[Report, RunEnd] | None:
        """Have a waiting process judge, or a new one; None where it was lost."""
        try:
            worker = judge.idle.pop()
        except IndexError:
            worker = Worker(judge.server, {}, _WORKER_LIMITS)
        said = None
        ours, theirs = socket.socketpair()
        try:
            with ours, theirs:
                candidate = self._start(job, theirs.fileno())
                sent = worker.send(job.request, ours.fileno())
            # Now only judge and candidate hold the line between them: when one ends, the other knows.
            if sent:
                said = worker.answer(candidate, job.limits.wall_s + _MARGIN_S)
            end = candidate.stop()
        finally:
            if said is None:
                ended = worker.end()
            elif said[:1] == b"1":
                judge.idle.append(worker)
            else:
                worker.close()
        if said is not None:
            return Report(said[1:], _reason(end, job.limits)), end
        # Its clock began with this job, so that no other run has anything to do with it.
        return (Report(b"", _spent(job.limits)), _both(ended, end)) if _is_spent(ended) else None

    def _by_fork(self, judge: Judge, job: _Job) -> tuple[Report, RunEnd]:
        """Have a process judge that was forked for this run alone."""
        cpu_s = _judge_cpu(job.limits) + _MARGIN_CPU_S  # its own clock comes first
        own = msgspec.structs.replace(_JUDGE_LIMITS, cpu_s=cpu_s, output_kb=job.limits.output_kb)
        ours, theirs = socket.socketpair()
        read, write = os.pipe()
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, read)
            with ours, theirs:
                try:
                    candidate = self._start(job, theirs.fileno())
                    stack.callback(candidate.cancel)
                    channels = [write, ours.fileno()]
                    judging = judge.server.start(job.request, own, channels, wall_s=job.limits.wall_s + _MARGIN_S)
                finally:
                    os.close(write)
            stack.pop_all()
        try:
            verdict = judging.wait(read, beside=candidate)
        finally:
            end = candidate.stop()
        reason = timed_out(job.limits) if verdict.timed_out else _reason(end, job.limits)
        if _is_spent(verdict):
            reason = _spent(job.limits)
        return Report(verdict.result, reason), _both(verdict, end)

    def close(self) -> None:
        """End the servers."""
        self._judges.close()
        self._trunks.close()
        self._executors.close()


def _judge_cpu(limits: Limits) -> float:
    """Return the CPU time that tests may use up, which is mostly what they do with what a candidate returned."""
    return min(limits.cpu_s, limits.wall_s) + _MARGIN_CPU_S


def _is_spent(judge: RunEnd) -> bool:
    return judge.returncode == -signal.SIGPROF


def _spent(limits: Limits) -> str:
    return f"the tests used up {_judge_cpu(limits):g} s of CPU time on what the candidate returned"


def _both(judge: RunEnd, candidate: RunEnd) -> RunEnd:
    """Put together what is known of both processes."""
    return replace(
        judge,
        log=judge.log + candidate.log,
        log_truncated=judge.log_truncated or candidate.log_truncated,
        cpu_s=judge.cpu_s + candidate.cpu_s,
        peak_kb=max(judge.peak_kb, candidate.peak_kb),
    )


def _reason(end: RunEnd, limits: Limits) -> str:
    """Say how the candidate's process ended by itself; nothing where it was ended here, after the tests."""
    if end.wall_s >= limits.wall_s and not end.bad_tree:  # whoever noticed first
        return timed_out(limits)
    stopped = end.returncode == -9 and not end.bad_tree and not end.timed_out and end.cpu_s < 0.75 * limits.cpu_s
    return "" if stopped else ending(end, limits)
