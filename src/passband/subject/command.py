"""A command as a subject: it runs in the case's workspace, in the sandbox; its answer is what it leaves or prints."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import orjson

from passband.errors import UsageError
from passband.grade.patch import answer_from_trees
from passband.records import Answer, Limits
from passband.sandbox import run_command
from passband.subject.base import CaseView, Response, SubjectFault

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CommandSubject"]

# An agent may work for minutes; it is given more room than a graded candidate, and less than for ever.
_LIMITS = Limits(wall_s=600, cpu_s=300, mem_mb=4096, file_mb=256, pids=256, output_kb=1024)
_CANNOT_START = (126, 127)  # as shells say "not executable" and "not found"


class CommandSubject:
    """Runs a command once per sample.

    It finds the workspace as its working directory, and ``PASSBAND_CASE``, ``PASSBAND_SEED``, ``PASSBAND_ISSUE`` and
    ``PASSBAND_INPUTS`` (all inputs as JSON) in its environment. Its answer is the difference it
    leaves in the workspace, or, where it leaves none, the patch it prints. A command that runs out of time or memory is
    graded on what it left: its budgets are part of the harness.

    Parameters
    ----------
    command : str
        As in a shell, without one: split into words, nothing expanded.
    unsafe : bool
        Run it as a plain process where this machine gives no isolation.
    """

    def __init__(self, command: str, *, unsafe: bool = False) -> None:
        try:
            self._argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"cannot be split into words: {error}", where=f"command:{command}") from None
        if not self._argv:
            raise UsageError("names no command", where="command:")
        self.name = f"command:{command}"
        self._unsafe = unsafe

    @property
    def params(self) -> Mapping[str, Any]:
        """The words of the command and its limits."""
        return {"argv": self._argv, "wall_s": _LIMITS.wall_s, "cpu_s": _LIMITS.cpu_s}

    def sample(self, view: CaseView, seed: int) -> Response:
        """Run the command in a fresh copy of the workspace."""
        result = run_command(
            self._argv,
            files=view.workspace,
            env={
                "PASSBAND_CASE": view.id,
                "PASSBAND_SEED": str(seed),
                "PASSBAND_ISSUE": str(view.inputs.get("issue", "")),
                "PASSBAND_INPUTS": orjson.dumps(dict(view.inputs), default=dict).decode(),
            },
            limits=_LIMITS,
            unsafe=self._unsafe,
        )
        if result.fault:
            raise SubjectFault(result.fault.detail)
        if result.error and result.returncode is None and not result.timed_out:
            raise SubjectFault(f"{self._argv[0]!r}: {result.error}", retryable=False)
        if result.returncode in _CANNOT_START:
            said = result.output.decode(errors="replace").strip()
            raise SubjectFault(f"{self._argv[0]!r} could not be started: {said}", retryable=False)
        event = {
            "event": "command",
            "returncode": result.returncode,
            "timed_out": result.timed_out,
            "truncated": result.truncated,
            "output": result.output.decode(errors="replace"),
        }
        left = answer_from_trees(view.workspace, result.files_after)
        return Response(output=left if left.payload else Answer(result.output), trace=(event,))
