"""What agent command lines print about their work, as trace events and token usage.

Costs that they report are left alone: for a model they do not know, they are made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from passband.records import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["TRAJECTORIES", "TRAJECTORY_FILE", "read_trajectory"]

TRAJECTORY_FILE = "trajectory.json"
"""Where an agent that writes its trajectory to a file is told to, in its workspace; it is no part of the answer."""

_SHOWN = 4000


def read_trajectory(
    kind: str, output: bytes, files: Mapping[str, bytes]
) -> tuple[tuple[Mapping[str, Any], ...], Usage]:
    """Read an agent's own account of a sample; what is not in its format is left out.

    Parameters
    ----------
    kind : str
        One of :data:`TRAJECTORIES`.
    output : bytes
        What it printed.
    files : mapping
        What it left in the workspace.

    Returns
    -------
    tuple of mapping, Usage
        Events for the trace; tokens, with no cost.
    """
    return TRAJECTORIES[kind](output, files)


def _lines(output: bytes) -> Iterator[Mapping[str, Any]]:
    for line in output.splitlines():
        if line.startswith(b"{"):
            try:
                found = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(found, dict):
                yield found


def _event(name: str, text: object) -> dict[str, Any]:
    shown = text if isinstance(text, str) else orjson.dumps(text).decode()
    return {"event": f"agent {name}", "text": shown[:_SHOWN]}


def _sum(usages: Iterable[tuple[Any, Any]]) -> Usage:
    pairs = [(_count(read), _count(written)) for read, written in usages]
    return Usage(input_tokens=sum(read for read, _ in pairs), output_tokens=sum(written for _, written in pairs))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _mini(_output: bytes, files: Mapping[str, bytes]) -> tuple[tuple[Mapping[str, Any], ...], Usage]:
    """mini-swe-agent, ``-o trajectory.json``: a list of messages, the model's with its raw response."""
    try:
        found = orjson.loads(files.get(TRAJECTORY_FILE, b""))
        messages = [message for message in found["messages"] if isinstance(message, dict)]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return (), Usage()
    events = [
        _event(str(message.get("role", message.get("type"))), message.get("content") or message.get("output") or "")
        for message in messages
    ]
    usages = [_dig(message, "extra", "response", "usage") or message.get("usage") or {} for message in messages]
    return tuple(events), _sum(
        (
            usage.get("prompt_tokens", usage.get("input_tokens")),
            usage.get("completion_tokens", usage.get("output_tokens")),
        )
        for usage in usages
    )


def _codex(output: bytes, _files: Mapping[str, bytes]) -> tuple[tuple[Mapping[str, Any], ...], Usage]:
    """codex, ``exec --json``: items and turns."""
    events, usages = [], []
    for line in _lines(output):
        if line.get("type") == "item.completed" and isinstance(line.get("item"), dict):
            item = dict(line["item"])
            events.append(_event(str(item.pop("type", "item")), item))
        elif line.get("type") == "turn.completed":
            usage = line.get("usage") or {}
            usages.append((usage.get("input_tokens"), usage.get("output_tokens")))
        elif line.get("type") in {"error", "turn.failed"}:
            events.append(_event("error", line))
    return tuple(events), _sum(usages)


def _opencode(output: bytes, _files: Mapping[str, bytes]) -> tuple[tuple[Mapping[str, Any], ...], Usage]:
    """opencode, ``run --format json``: parts of messages."""
    events, usages = [], []
    for line in _lines(output):
        part = line.get("part") or {}
        if line.get("type") == "step_finish":
            tokens = part.get("tokens") or {}
            cache = tokens.get("cache") or {}
            read = sum(map(_count, (tokens.get("input"), cache.get("read"), cache.get("write"))))
            usages.append((read, _count(tokens.get("output")) + _count(tokens.get("reasoning"))))
        elif line.get("type") == "text":
            events.append(_event("text", part.get("text", "")))
        elif line.get("type") in {"tool_use", "error"}:
            events.append(_event(line["type"], part.get("state") or line.get("error") or {}))
    return tuple(events), _sum(usages)


def _claude(output: bytes, _files: Mapping[str, bytes]) -> tuple[tuple[Mapping[str, Any], ...], Usage]:
    """Claude Code, ``--output-format stream-json``: messages, and a result with the usage of all."""
    events, usages = [], []
    for line in _lines(output):
        if line.get("type") in {"assistant", "user"}:
            content = _dig(line, "message", "content")
            events.append(_event(line["type"], content or ""))
        elif line.get("type") == "result":
            usage = line.get("usage") or {}
            names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            usages.append((sum(_count(usage.get(name)) for name in names), usage.get("output_tokens")))
            events.append(_event("result", line.get("result") or line.get("subtype") or ""))
    return tuple(events), _sum(usages)


def _dig(value: Any, *path: str) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


TRAJECTORIES: Mapping[str, Callable[[bytes, Mapping[str, bytes]], tuple[tuple[Mapping[str, Any], ...], Usage]]] = {
    "mini-swe-agent": _mini,
    "codex": _codex,
    "opencode": _opencode,
    "claude": _claude,
}
"""Agent → reader of its account."""
