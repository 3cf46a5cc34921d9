"""Run a command on a tree of files, inside the sandbox, and get back the tree it leaves."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passband.records import Fault, Limits
from passband.sandbox.forkserver import ForkServer
from passband.sandbox.runs import RunEnd, SandboxFaultError
from passband.sandbox.setting import Setting, base_python

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CommandResult", "CommandServer"]

_RESULT_CAP = 1 << 30
_MARGIN_S = 10.0
_LEAST_READ_MB, _MOST_READ_MB = 64, 512


@dataclass(frozen=True)
class CommandResult:
    """What a command did."""

    returncode: int | None = None
    """As of :mod:`subprocess`; None where it did not end by itself."""
    output: bytes = b""
    """Standard output, up to the limit; standard error too, in order, unless they are kept apart."""
    errors: bytes = b""
    """Standard error by itself, up to the limit, where they are kept apart."""
    truncated: bool = False
    """Whether some of either was cut off."""
    timed_out: bool = False
    files_after: Mapping[str, bytes] = field(default_factory=dict)
    """Relative path → content of every regular file the command left; empty where it removed its own folder."""
    skipped: tuple[str, ...] = ()
    """Links, devices and unreadable files it left: named, never followed. And files that are cut: there is an end even
    to what sparse files hold."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    error: str = ""
    """Why the command could not be started, or why its tree is not here."""
    fault: Fault | None = None
    """A failure of the sandbox itself; everything else is then empty."""


class CommandServer:
    """Runs commands under one isolation setting; safe to use from many threads.

    Parameters
    ----------
    setting : Setting
        The isolation, with what the commands may see.
    """

    def __init__(self, setting: Setting) -> None:
        self._server = ForkServer("passband.sandbox.kernel.command", setting)

    @property
    def alive(self) -> bool:
        """Whether it can run another command."""
        return self._server.alive

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        beside: Mapping[str, bytes] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        network: bool = False,
        apart: bool = False,
    ) -> CommandResult:
        """Run one command; see :func:`passband.sandbox.run_command`.

        In `argv` and `env`, ``RUN_FOLDER`` stands for the folder of the run, in which ``repo`` holds `files` and
        ``hidden`` holds `beside`.
        """
        limits = limits or Limits()
        read, write = os.pipe()
        errors, errors_write = os.pipe() if apart else (None, None)
        ours = [fd for fd in (read, errors) if fd is not None]
        theirs = [fd for fd in (write, errors_write) if fd is not None]
        payload = {
            "tree": files or {},
            "room": sum(map(len, (files or {}).values())) + _room(limits),
            "beside": beside or {},
            "argv": list(argv),
            "wall_s": limits.wall_s,
            "env": dict(env or {}),
        }
        path = f"{os.path.dirname(base_python())}:/usr/local/bin:/usr/bin:/bin"
        try:
            run = self._server.start(
                payload,
                limits,
                theirs,
                env={"PATH": path},
                network=network,
                wall_s=limits.wall_s + _MARGIN_S,
            )
        except SandboxFaultError as error:
            for fd in ours:
                os.close(fd)
            return CommandResult(fault=Fault("sandbox", error.what))
        finally:
            for fd in theirs:
                os.close(fd)
        try:
            end = run.wait(read, result_cap=_RESULT_CAP, errors=errors)
        except SandboxFaultError as error:
            return CommandResult(fault=Fault("sandbox", error.what))
        return _result(end)

    def close(self) -> None:
        """End the server."""
        self._server.close()


def _room(limits: Limits) -> int:
    """How many bytes of files are read back beyond those that were given: who reads them has the limits to keep."""
    return int(min(_MOST_READ_MB, max(_LEAST_READ_MB, limits.mem_mb / 4))) << 20


def _result(end: RunEnd) -> CommandResult:
    common = CommandResult(
        output=end.log,
        errors=end.errors,
        truncated=end.log_truncated or end.errors_truncated,
        wall_s=end.wall_s,
        cpu_s=end.cpu_s,
    )
    if end.bad_tree:
        return CommandResult(error=end.bad_tree)
    try:
        done, files = _unpack(end.result)
    except (ValueError, KeyError, TypeError):
        reason = f"the sandbox ended with code {end.returncode} before the tree was read"
        return CommandResult(**{**vars(common), "error": reason, "timed_out": end.timed_out})
    return CommandResult(
        **{
            **vars(common),
            "returncode": done["returncode"],
            "timed_out": done["timed_out"],
            "error": done["error"] or "",
            "files_after": files,
            "skipped": tuple(done["skipped"]),
        }
    )


def _unpack(data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read what the program in the sandbox wrote: JSON and raw bytes, and nothing that a forger could make more of.

    Raises
    ------
    ValueError, KeyError, TypeError
        For anything else.
    """
    at = 8 + int.from_bytes(data[:8], "big")
    done: dict[str, Any] = json.loads(data[8:at])
    files: dict[str, bytes] = {}
    for path, size in done["files"]:
        files[path] = data[at : at + size]
        at += size
    if at != len(data):
        raise ValueError("a tree that was cut off")
    return done, files
