"""From what a user types to a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.errors import UnknownNameError

if TYPE_CHECKING:
    from passband.subject.base import Subject

__all__ = ["load_subject"]


def load_subject(spec: str, *, unsafe: bool = False) -> Subject:
    """Make the subject that `spec` names.

    Parameters
    ----------
    spec : str
        ``mutator``, ``mutator-focus``, ``python:module:function`` or ``command:PROGRAM ARGUMENT…``.
    unsafe : bool
        Let a command run without isolation where this machine gives none.

    Raises
    ------
    UnknownNameError
        Where nothing answers to it.
    UsageError
        Where what answers cannot be used.
    """
    from passband.subject.mutator import MUTATORS, Mutator

    kind, colon, rest = spec.partition(":")
    if spec in MUTATORS:
        return Mutator(spec)
    if colon and kind == "python":
        from passband.subject.function import load_function

        return load_function(rest)
    if colon and kind == "command":
        from passband.subject.command import CommandSubject

        return CommandSubject(rest, unsafe=unsafe)
    raise UnknownNameError("subject", spec, [*MUTATORS, "python:module:function", "command:program"])
