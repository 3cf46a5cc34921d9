"""A command as a subject: it runs in the case's workspace, in the sandbox; its answer is what it leaves or prints."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from passband.errors import DataError, UsageError
from passband.grade.patch import answer_from_trees, path_fault
from passband.records import Answer, Limits, Usage
from passband.sandbox import run_command
from passband.subject.agents import TRAJECTORIES, TRAJECTORY_FILE, read_trajectory
from passband.subject.base import CaseView, HarnessPart, Response, SubjectFault
from passband.subject.local_files import LocalFiles
from passband.subject.settings import is_base_url, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.sandbox import CommandResult
    from passband.subject.traffic import RecordingProxy, ResponseStore

__all__ = ["CommandSettings", "CommandSubject", "load_command"]

_CANNOT_START = (126, 127)  # as shells say "not executable" and "not found"
# SIGKILL (of memory), SIGXCPU and SIGXFSZ, as such and as a shell reports them.
_OUT_OF_BUDGET = {-9, -24, -25, 128 + 9, 128 + 24, 128 + 25}
_NAMED = 20  # of what it left out
_MOST_LEFT = 9 * 2**20  # bytes: an answer of more than eight is refused by every grader
_ERRORS_SHOWN = 64 * 1024  # bytes, of the end
_LAST = 300  # characters of what a command said last
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
    the issue and the address of its model server. Of the host it sees the system's programs, this interpreter's
    packages, ``mounts``, and the files that the command itself names where the caller stands, all read-only.

    Its answer is the difference it leaves in the workspace, or, where it leaves none, what it prints on standard
    output. What it says on standard error is in the trace, and never part of the answer. One that removes its workspace
    has deleted all. One that leaves no difference and ends with an error code has given no answer: the sample is tried
    again, then errored, and its last words are the cause. One that leaves a difference is graded on it, however it
    ended, and so is one that ran out of its budgets of time, memory or file size: they are part of the harness.

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
        try:
            self._limits = Limits(**{name: getattr(self._settings, name) for name in Limits.__struct_fields__})
        except DataError as error:
            raise UsageError(error.what, where="--set") from None
        if self._settings.trajectory and self._settings.trajectory not in TRAJECTORIES:
            raise UsageError(
                f"is none of {', '.join(TRAJECTORIES)}", where=f"--set trajectory={self._settings.trajectory}"
            )
        self._mounts = [mount for mount in self._settings.mounts.split(":") if mount]
        if lost := [mount for mount in self._mounts if not os.path.lexists(mount)]:
            raise UsageError("there is no such file or folder", where=f"--set mounts={lost[0]}")
        upstream = self._settings.upstream
        if upstream and not is_base_url(upstream):
            raise UsageError(
                "is no base URL", where=f"--set upstream={upstream}", fix="for example http://localhost:8000/v1"
            )
        self._local = LocalFiles(self._argv, self._mounts)
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
        """The words of the command, what it may see, and digests of the caller's files that it names."""
        settings = self._settings
        found = {"argv": self._argv, "network": settings.network, "mounts": settings.mounts}
        digests = self._local.digests
        return found | {"files": digests} if digests else found

    @property
    def priced(self) -> bool:
        """Never: costs that agents report are made up where they do not know the model."""
        return False

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
                [_fill(word, issue, base_url) for word in self._local.named(self._argv, view.workspace)],
                files=view.workspace,
                env=env,
                limits=self._limits,
                network=self._settings.network,
                mounts=[*self._mounts, *self._local.paths],
                apart=True,
                unsafe=self._unsafe,
            )
        finally:
            if self._proxy is not None:
                self._proxy.end_episode(view.id, seed)
        return self._response(view, result)

    def _response(self, view: CaseView, result: CommandResult) -> Response:
        if result.fault:
            raise SubjectFault(result.fault.detail)
        program, advice = self._argv[0], self._local.advice
        if result.error and result.returncode is None and not result.timed_out:
            # Where it was started, what ended the sandbox may have been this sample's doing.
            started = not result.error.startswith("[Errno")
            more = "" if started else advice(result.error, started=False)
            raise SubjectFault(f"{program!r}: {result.error}{more}", retryable=started)
        said = _last_words(result.output, result.errors)
        if result.returncode in _CANNOT_START:
            raise SubjectFault(f"{program!r} could not be started: {said}{advice(said)}", retryable=False)
        steps: tuple[Mapping[str, Any], ...] = ()
        usage = Usage()
        if self._settings.trajectory:
            steps, usage = read_trajectory(self._settings.trajectory, result.output, result.files_after)
        left, left_out = self._left(view, result)
        if not left.payload and result.returncode and result.returncode not in _OUT_OF_BUDGET and not result.timed_out:
            how = f"code {result.returncode}" if result.returncode > 0 else f"signal {-result.returncode}"
            detail = f"{program!r} left no change and ended with {how}: {said}{advice(said)}"
            raise SubjectFault(detail, usage=usage)
        event: dict[str, Any] = {
            "event": "command",
            "returncode": result.returncode,
            "timed_out": result.timed_out,
            "truncated": result.truncated,
            "output": result.output.decode(errors="replace"),
        }
        if result.errors:
            event["stderr"] = _end(result.errors)
        if left_out:
            event["left_out"] = [_plain(path) for path in left_out[:_NAMED]]
        return Response(output=left if left.payload else Answer(result.output), trace=(event, *steps), usage=usage)

    def _left(self, view: CaseView, result: CommandResult) -> tuple[Answer, list[str]]:
        """The difference it left, and what is no part of that: links, devices, and what no answer may carry.

        The last are names of no other system, and the ``.git`` of an agent that keeps its work in one.
        """
        ignored = {*_names(self._settings.ignore), *([TRAJECTORY_FILE] if self._settings.trajectory else [])}
        before, after = view.workspace, result.files_after
        changed = [path for path in {**before, **after} if before.get(path) != after.get(path) and path not in ignored]
        carried = [path for path in changed if not path_fault(path)]
        old = {path: before[path] for path in carried if path in before}
        left = answer_from_trees(old, _within({path: after[path] for path in carried if path in after}))
        return left, sorted({*changed, *result.skipped} - {*carried})


def _within(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """As much of the files as no grader takes any more: what is left of a gigabyte is refused like the whole of it."""
    found, room = {}, _MOST_LEFT
    for path, data in files.items():
        found[path] = data[:room]
        room -= len(found[path])
    return found


def _last_words(*said: bytes) -> str:
    """The end of what a command printed, on one line; of several streams the last one has the last word."""
    ends = [text[-4 * _LAST :].decode(errors="replace").splitlines() for text in said]
    lines = [line for end in ends for line in end if line.strip()]
    text = " · ".join(line.strip() for line in lines[-3:]) or "it printed nothing"
    return text if len(text) <= _LAST else f"…{text[-_LAST:]}"


def _end(errors: bytes) -> str:
    text = errors[-_ERRORS_SHOWN:].decode(errors="replace")
    return text if len(errors) <= _ERRORS_SHOWN else f"…{text}"


def _plain(path: str) -> str:
    return path.encode(errors="backslashreplace").decode()


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
