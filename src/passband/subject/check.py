"""What a subject gave back, looked at before anything relies on it: a sample that is wrong ends itself, not the run."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from passband.errors import DataError, text_of
from passband.records import Answer, AnswerFormat, Fault, Usage, decode, encode
from passband.subject.base import Response

__all__ = ["MOST_TOKENS", "MOST_USD", "check_faults", "check_response", "check_usage"]

MOST_TOKENS = 10**12
MOST_USD = 1e9
"""Of one sample: sums over any run stay exact, and a word in place of a number is found."""

_DEEPEST = 100  # levels: JSON readers give up at some hundreds, each at another number
_LARGEST_INT = 2**63


def check_response(returned: object, name: str) -> Response:
    """Return a response that can be graded, counted, stored and read again.

    Parameters
    ----------
    returned : object
        What ``sample`` of a subject returned.
    name : str
        The subject's name, for the message.

    Returns
    -------
    Response
        Its numbers plain ones, its trace plain data.

    Raises
    ------
    TypeError
        Where it is no such response; the message says which part of it is what.
    """
    if not isinstance(returned, Response):
        raise TypeError(f"{name} returned {_kind(returned)}, not Response")
    try:
        return Response(
            output=_output(returned.output),
            trace=_trace(returned.trace),
            usage=check_usage(returned.usage),
            faults=check_faults(returned.faults),
        )
    except TypeError as error:
        raise TypeError(f"{name} returned a Response whose {error}") from None


def check_usage(usage: object) -> Usage:
    """Return a usage in plain numbers.

    Raises
    ------
    TypeError
        Where it is none, or counts below zero, without end, or in no number.
    """
    if not isinstance(usage, Usage):
        raise TypeError(f"usage is {_kind(usage)}, not Usage")
    cost = usage.cost_usd
    if cost is not None and (isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= MOST_USD):
        raise TypeError(f"usage has a cost_usd of {_shown(cost)}, not None or dollars from 0 to {MOST_USD:g}")
    return Usage(
        input_tokens=_tokens("input_tokens", usage.input_tokens),
        output_tokens=_tokens("output_tokens", usage.output_tokens),
        cost_usd=None if cost is None else float(cost),
    )


def _tokens(name: str, count: Any) -> int:
    try:
        found = -1 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        found = -1
    if not 0 <= found <= MOST_TOKENS:
        raise TypeError(f"usage has {name} of {_shown(count)}, not a whole number from 0 to {MOST_TOKENS:g}")
    return found


def check_faults(faults: object) -> tuple[Fault, ...]:
    """Return faults that can be stored.

    Raises
    ------
    TypeError
        Where they are no sequence of them.
    """
    if not isinstance(faults, Sequence) or not all(isinstance(fault, Fault) for fault in faults):
        raise TypeError("faults are not a tuple of Fault")
    return _plain("faults", tuple(faults), tuple[Fault, ...]) if faults else ()


def _output(output: object) -> Answer:
    if not isinstance(output, Answer):
        raise TypeError(f"output is {_kind(output)}, not Answer: Answer.of(text) makes one of text")
    if not isinstance(output.payload, bytes):
        raise TypeError(f"output has a payload that is {_kind(output.payload)}, not bytes")
    try:
        return Answer(output.payload, AnswerFormat(output.format))
    except ValueError:
        raise TypeError(f"output has the format {_shown(output.format)}, which is no AnswerFormat") from None


def _trace(trace: object) -> tuple[Mapping[str, Any], ...]:
    if trace == ():
        return ()
    if not isinstance(trace, Sequence) or not all(isinstance(event, Mapping) for event in trace):
        raise TypeError("trace is not a tuple of mappings")
    events = tuple(map(dict, trace))
    found: tuple[dict[str, Any], ...] = _plain("trace", events, tuple[dict[str, Any], ...])
    # As they were given: what is no number to JSON has come back from it as nothing.
    level: list[Any] = list(msgspec.to_builtins(events, enc_hook=dict))
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict | list | tuple):
                inner += value.values() if isinstance(value, dict) else value
            elif isinstance(value, float) and not math.isfinite(value):
                raise TypeError(f"trace has a number that is {value}, which JSON cannot hold")
            elif isinstance(value, int) and not -_LARGEST_INT <= value < _LARGEST_INT:
                raise TypeError("trace has a number of more than 64 bits")
        level = inner
        if not level:
            return found
    raise TypeError(f"trace is more than {_DEEPEST} levels deep")


def _plain(what: str, value: Any, type_: Any) -> Any:
    """Take a value the way to the store and back."""
    try:
        return decode(encode(value), type_)
    except RecursionError:
        raise TypeError(f"{what} is more than {_DEEPEST} levels deep") from None
    except DataError as error:
        raise TypeError(f"{what} cannot be stored: {error.what}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{what} cannot be stored: {text_of(error)}") from None


def _kind(value: object) -> str:
    return type(value).__name__


def _shown(value: object) -> str:
    if isinstance(value, float | bool) or (isinstance(value, int) and abs(value) < _LARGEST_INT):
        return str(value)
    return (
        f"{value[:40]!r}" if isinstance(value, str) else "more than 64 bits" if isinstance(value, int) else _kind(value)
    )
