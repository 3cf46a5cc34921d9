"""A command as a subject: it runs in the case's workspace, in the sandbox; its answer is what it leaves or prints."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from passband.errors import UsageError
from passband.grade.patch import answer_from_trees
from passband.records import Answer, Limits, Usage
from passband.sandbox import run_command
from passband.subject.agents import TRAJECTORIES, TRAJECTORY_FILE, read_trajectory
from passband.subject.base import CaseView, HarnessPart, Response, SubjectFault
from passband.subject.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.subject.traffic import RecordingProxy, ResponseStore

__all__ = ["CommandSettings", "CommandSubject", "load_command"]

_CANNOT_START = (126, 127)  # as shells say "not executable" and "not found"
_HOLE = re.compile(r"\{(?:issue|base_url)\}")
_BASE_URLS = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL")


class CommandSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a command is run. An agent is given more room than a graded candidate, and less than for ever."""

    wall_s: float = 600.0
    cpu_s: float = 300.0
    mem_mb: int = 4096
    file_mb: int = 256
    pids: int = 256
    output_kb: int = 4096
    network: bool = False
    """Share the host's network."""
    mounts: str = ""
    """Further paths of the host to show, read-only, parted by colons."""
    env: str = ""
    """Names of environment variables to pass on, parted by commas; everything else is left out."""
    upstream: str = ""
    """Base URL of the command's model server; under --record and --replay it is given a proxy's in its place."""
    trajectory: str = ""
    """Format of what the command prints or leaves: mini-swe-agent, codex, opencode or claude."""
    ignore: str = ""
    """Files it leaves that are no part of its answer, parted by commas."""


class CommandSubject:
    """Runs a command once per sample.

    It finds the workspace as its working directory, and ``PASSBAND_CASE``, ``PASSBAND_SEED``, ``PASSBAND_ISSUE`` and
    ``PASSBAND_INPUTS`` (all inputs as JSON) in its environment; ``{issue}`` and ``{base_url}`` in the command stand for
    the issue and the address of its model server. Its answer is the difference it leaves in the workspace, or, where it
    leaves none, what it prints. A command
    that runs out of time or memory is graded on what it left: its budgets are part of the harness.

    Parameters
    ----------
    command : str
        As in a shell, without one: split into words, nothing expanded.
    settings : CommandSettings
        Limits, network, what it may see.
    traffic : ResponseStore, optional
        Records, or replays.
    unsafe : bool
        Run it as a plain process where this machine gives no isolation.
    """

    def __init__(
        self,
        command: str,
        settings: CommandSettings | None = None,
        *,
        traffic: ResponseStore | None = None,
        unsafe: bool = False,
    ) -> None:
        try:
            self._argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"cannot be split into words: {error}", where=f"command:{command}") from None
        if not self._argv:
            raise UsageError("the subject 'command:' names no command")
        self.name = f"command:{command}"
        self._settings = settings or CommandSettings()
        self._unsafe = unsafe
        self._limits = Limits(
            wall_s=self._settings.wall_s,
            cpu_s=self._settings.cpu_s,
            mem_mb=self._settings.mem_mb,
            file_mb=self._settings.file_mb,
            pids=self._settings.pids,
            output_kb=self._settings.output_kb,
        )
        if self._settings.trajectory and self._settings.trajectory not in TRAJECTORIES:
            raise UsageError(
                f"is none of {', '.join(TRAJECTORIES)}", where=f"--set trajectory={self._settings.trajectory}"
            )
        self._proxy = self._start_proxy(traffic)

    def _start_proxy(self, traffic: ResponseStore | None) -> RecordingProxy | None:
        if traffic is None:
            return None
        if not self._settings.upstream or not self._settings.network:
            raise UsageError(
                "recording a command's traffic needs its network and the address of its model server",
                where=self.name,
                fix="add --set network=true --set upstream=BASE_URL",
            )
        from passband.subject.traffic import RecordingProxy

        return RecordingProxy(self._settings.upstream, traffic)

    @property
    def params(self) -> Mapping[str, Any]:
        """The words of the command and what it may see."""
        settings = self._settings
        return {"argv": self._argv, "network": settings.network, "mounts": settings.mounts}

    @property
    def harness(self) -> HarnessPart:
        """The limits it runs under."""
        settings = self._settings
        return HarnessPart(budgets={"wall_s": settings.wall_s, "cpu_s": settings.cpu_s, "mem_mb": settings.mem_mb})

    def sample(self, view: CaseView, seed: int) -> Response:
        """Run the command in a fresh copy of the workspace."""
        issue = str(view.inputs.get("issue", ""))
        env = {name: os.environ[name] for name in _names(self._settings.env) if name in os.environ} | {
            "PASSBAND_CASE": view.id,
            "PASSBAND_SEED": str(seed),
            "PASSBAND_ISSUE": issue,
            "PASSBAND_INPUTS": orjson.dumps(dict(view.inputs), default=dict).decode(),
        }
        base_url = self._proxy.episode_url(view.id, seed) if self._proxy is not None else self._settings.upstream
        if base_url:
            env |= dict.fromkeys(_BASE_URLS, base_url)
        try:
            result = run_command(
                [_fill(word, issue, base_url) for word in self._argv],
                files=view.workspace,
                env=env,
                limits=self._limits,
                network=self._settings.network,
                mounts=[mount for mount in self._settings.mounts.split(":") if mount],
                unsafe=self._unsafe,
            )
        finally:
            if self._proxy is not None:
                self._proxy.end_episode(view.id, seed)
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
        steps: tuple[Mapping[str, Any], ...] = ()
        usage = Usage()
        ignored = {*_names(self._settings.ignore), *([TRAJECTORY_FILE] if self._settings.trajectory else [])}
        after = {path: data for path, data in result.files_after.items() if path not in ignored}
        if self._settings.trajectory:
            steps, usage = read_trajectory(self._settings.trajectory, result.output, result.files_after)
        left = answer_from_trees(view.workspace, after)
        return Response(output=left if left.payload else Answer(result.output), trace=(event, *steps), usage=usage)


def _fill(word: str, issue: str, base_url: str) -> str:
    # In one pass: what an issue holds is never taken for a hole.
    holes = {"{issue}": issue, "{base_url}": base_url}
    return _HOLE.sub(lambda found: holes[found[0]], word)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def load_command(
    command: str, settings: Mapping[str, str], *, traffic: ResponseStore | None = None, unsafe: bool = False
) -> CommandSubject:
    """Make a subject of a command line and settings.

    Raises
    ------
    UsageError
        Where one of them is off.
    """
    return CommandSubject(command, read_settings(settings, CommandSettings), traffic=traffic, unsafe=unsafe)
