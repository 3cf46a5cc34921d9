"""A conversation in words of our own; each provider translates it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from passband.records import Usage

__all__ = ["Finish", "Message", "Reply", "Tool", "ToolCall"]

Finish = Literal["stop", "tool_calls", "length", "refusal"]
"""Why a model ended its turn."""


class ToolCall(msgspec.Struct, frozen=True):
    """A tool the model wants used."""

    id: str
    name: str
    arguments: str
    """JSON text, as the model wrote it: it may be anything."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    """For a tool's result: the call it answers."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool the model may ask for."""

    name: str
    description: str
    parameters: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Name → JSON Schema of each parameter; all are required."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.parameters),
            "required": list(self.parameters),
            "additionalProperties": False,
        }


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One whole turn of a model."""

    text: str
    finish: Finish
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """None where the server does not say what it has used."""
    logprob: float | None = None
    """Sum of the log-probabilities of the tokens of the answer, where they were asked for."""
    tokens_scored: int = 0
    """How many tokens that sum is over."""
    model: str = ""
    """What the server says it is."""
