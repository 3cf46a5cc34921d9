"""From what a user types to a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from passband.errors import UnknownNameError, UsageError, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from passband.subject.base import Subject
    from passband.subject.traffic import ResponseStore

__all__ = ["ENTRY_POINTS", "load_subject", "refuse_traffic"]

ENTRY_POINTS = "passband.subjects"
"""Group of entry points: the name before the colon → a factory that takes what stands after it."""
_WITH_TRAFFIC = frozenset({"chat", "command"})


def load_subject(
    spec: str,
    *,
    settings: Mapping[str, str] | None = None,
    traffic: ResponseStore | None = None,
    unsafe: bool = False,
) -> Subject:
    """Make the subject that `spec` names.

    Parameters
    ----------
    spec : str
        ``mutator``, ``mutator-focus``, ``python:module:function``, ``command:PROGRAM ARGUMENT…``,
        ``chat:MODEL@BASE_URL`` (``chat:MODEL`` through an SDK), or ``NAME:REST`` where an installed package announces
        NAME in the entry-point group :data:`ENTRY_POINTS`.
    settings : mapping, optional
        Further settings, for the kinds that have any.
    traffic : ResponseStore, optional
        Where model traffic is recorded or replayed from, for the kinds that have any.
    unsafe : bool
        Let a command run without isolation where this machine gives none.

    Raises
    ------
    UnknownNameError
        Where nothing answers to it.
    UsageError
        Where what answers cannot be used.
    """
    kind, colon, rest = spec.partition(":")
    if colon and kind == "chat":
        from passband.subject.chat import load_chat

        return load_chat(rest, settings or {}, traffic=traffic, unsafe=unsafe)
    if colon and kind == "command":
        from passband.subject.command import load_command

        return load_command(rest, settings or {}, traffic=traffic, unsafe=unsafe)
    if settings:
        raise UsageError(f"has no setting {min(settings)!r}", where=spec)
    if traffic is not None:
        refuse_traffic(spec)
    if colon and kind == "python":
        from passband.subject.function import load_function

        return load_function(rest)
    from passband.subject.mutator import MUTATORS, Mutator

    if spec in MUTATORS:
        return Mutator(spec)
    return _from_package(
        kind if colon else spec, rest, spec, [*MUTATORS, "python:module:function", "command:program", "chat:model@url"]
    )


def refuse_traffic(spec: str) -> None:
    """Refuse to record or replay a subject that has no model traffic.

    Raises
    ------
    UsageError
        Where it is of a kind that asks no model through us.
    """
    if spec.partition(":")[0] not in _WITH_TRAFFIC:
        fix = "leave --record and --replay out: there is nothing to keep"
        raise UsageError("has no model traffic to record or replay", where=spec, fix=fix)


def _from_package(name: str, rest: str, spec: str, known: list[str]) -> Subject:
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINTS)
    if name not in found.names:
        raise UnknownNameError("subject", spec, [*known, *(f"{other}:…" for other in sorted(found.names))])
    entry = found[name]
    try:
        factory = cast("Callable[[str], Subject]", entry.load())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(
            f"{entry.value} cannot be loaded: {type(error).__name__}: {text_of(error)}", where=spec
        ) from error
    return factory(rest)
