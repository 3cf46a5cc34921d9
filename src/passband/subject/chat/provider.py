"""The thin protocol between the client and each dialect of chat servers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from passband.records import Usage
from passband.subject.chat.messages import Message, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.subject.chat.messages import Reply

__all__ = ["IncompleteReplyError", "Provider", "Request", "plausible", "refuse_error", "take", "used"]

_MOST_TOKENS = 2**40  # of one turn
_LONGEST_WORDS = 300  # of a server, on what is wrong


class IncompleteReplyError(Exception):
    """A reply that is not whole: cut off, malformed, or without a reason for its end. It is no answer."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, before it is put into a dialect."""

    model: str
    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    max_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    logprobs: bool = False
    stream: bool = False
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Further fields of the body, as the user gave them."""


class Provider(Protocol):
    """A dialect: where to send a request, how to write it, how to read the reply."""

    path: str
    """Appended to the base URL."""
    key_env: str
    """Where the key is looked for unless the user names another variable."""

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""
        ...

    def body(self, request: Request) -> dict[str, Any]:
        """Write the request."""
        ...

    def read(self, body: Any) -> Reply:
        """Read a whole reply.

        Raises
        ------
        IncompleteReplyError
            Where it has no reason for its end, or lacks what a reply must have.
        """
        ...

    def fold(self, events: Iterable[tuple[str, Any]]) -> Any:
        """Make of the events of a stream, (name, data), the body that an unstreamed reply would have had.

        Raises
        ------
        IncompleteReplyError
            Where the stream ended before its end.
        """
        ...


def plausible(reply: Reply) -> Reply:
    """Return a reply whose every part is of its kind: a server may have written anything.

    Raises
    ------
    IncompleteReplyError
        Where text is no text, or tokens are no number of tokens: budgets rest on them.
    """
    if not isinstance(reply.text, str) or not isinstance(reply.model, str):
        raise IncompleteReplyError("its text or its model is no text")
    if not isinstance(reply.logprob, float | int | None) or not math.isfinite(reply.logprob or 0):
        raise IncompleteReplyError(f"its log-probabilities add up to {reply.logprob!r}")
    if reply.usage is None:
        return reply
    counts = {name: _count(name, getattr(reply.usage, name)) for name in ("input_tokens", "output_tokens")}
    return msgspec.structs.replace(reply, usage=Usage(**counts))


def _count(name: str, value: Any) -> int:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(whole, bool) or not isinstance(whole, int) or not 0 <= whole < _MOST_TOKENS:
        raise IncompleteReplyError(f"{name} are {value!r}")
    return whole


def used(usage: Mapping[str, Any] | None, inputs: Sequence[str], output: str) -> Usage | None:
    """Read what a server says it has used, or None where it leaves out what was read or what was written.

    Parameters
    ----------
    usage : mapping or None
        The part of the reply.
    inputs : sequence of str
        Names of the tokens read, which are summed: the first must be there, the others may.
    output : str
        Name of the tokens written.
    """
    if not usage or usage.get(inputs[0]) is None or usage.get(output) is None:
        return None
    return Usage(input_tokens=sum(usage.get(name) or 0 for name in inputs), output_tokens=usage[output])


def refuse_error(body: Any) -> None:
    """Refuse a reply that is an error in spite of its status: some gateways answer so.

    Raises
    ------
    IncompleteReplyError
        With the server's own words.
    """
    if isinstance(body, dict) and body.get("error"):
        raise IncompleteReplyError(f"it is an error: {' '.join(str(body['error']).split())[:_LONGEST_WORDS]}")


def take(body: Any, *path: str | int, kind: type | tuple[type, ...]) -> Any:
    """Look up a part of a reply that must be there.

    Raises
    ------
    IncompleteReplyError
        Where it is not, or is of another kind.
    """
    value = body
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
    if not isinstance(value, kind):
        raise IncompleteReplyError(f"the reply has no {'.'.join(map(str, path))}")
    return value
