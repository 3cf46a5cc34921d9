"""Every error a user can meet, as one tree.

::

    PassbandError                  (exit 5)  something of ours went wrong
    ├── UsageError                 (exit 2)  the command line or a configuration file is off
    │   └── UnknownNameError       (exit 2)  no such suite, subject, run, case, …: with a "did you mean"
    ├── DataError                  (exit 4)  input that cannot be read, or is incomplete
    │   ├── SuiteError             (exit 4)  a suite or a case in it
    │   ├── StoreError             (exit 4)  a store that cannot be opened, read or written
    │   └── InvalidInputError      (exit 4)  numbers that no statistic can be made from (also a ValueError)
    └── SandboxUnavailableError    (exit 4)  this machine gives no isolation tier that was asked for

One error is one line: what is wrong, where, what to do. ``str(error)`` is that line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "DataError",
    "InvalidInputError",
    "PassbandError",
    "SandboxUnavailableError",
    "StoreError",
    "SuiteError",
    "UnknownNameError",
    "UsageError",
    "text_of",
]

_LONGEST = 4000  # characters of what somebody's exception says


class PassbandError(Exception):
    """Base of all errors of this package.

    Parameters
    ----------
    what : str
        What is wrong, in one sentence without a full stop.
    where : str, optional
        File, line, field or name the fault sits at.
    fix : str, optional
        What the user can do about it.
    """

    exit_code = 5

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        line = f"{where}: {what}" if where else what
        # A message that carries somebody's text must stay one line, whatever that text holds.
        super().__init__(" ".join((f"{line}; {fix}" if fix else line).split()))


class UsageError(PassbandError):
    """The command line, a configuration file or a policy is off."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that nothing answers to.

    Parameters
    ----------
    kind : str
        What was looked for: ``"subject"``, ``"run"``, …
    name : str
        The name that was given.
    known : iterable of str
        The names there are; the closest is offered.
    where : str, optional
        Where the name stood.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), *, where: str | None = None) -> None:
        names = sorted(str(one) for one in known)  # members of a StrEnum show as their text
        import difflib

        close = difflib.get_close_matches(name, names, n=1)
        if close:
            fix = f"did you mean {close[0]!r}?"
        elif names:
            shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            fix = f"there are: {shown}"
        else:
            fix = f"there is no {kind} at all yet"
        super().__init__(f"no {kind} named {name!r}", where=where, fix=fix)


class DataError(PassbandError):
    """Input that cannot be read, or is incomplete."""

    exit_code = 4


class SuiteError(DataError):
    """A suite, or a case in it, is malformed."""


class StoreError(DataError):
    """A store that cannot be opened, read or written."""


class InvalidInputError(DataError, ValueError):
    """Numbers that no statistic can be made from."""


class SandboxUnavailableError(PassbandError):
    """No isolation of the kind that was asked for is to be had on this machine."""

    exit_code = 4


def text_of(error: BaseException) -> str:
    """What somebody's exception says, whatever that is, as text that can be stored and written.

    Parameters
    ----------
    error : BaseException
        Of foreign code: it may be unable to say what it is, or say half a character.

    Returns
    -------
    str
        At most 4,000 characters.
    """
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - an exception that can't say what it is is still one
        return "it cannot say what"
    return text[:_LONGEST].encode(errors="backslashreplace").decode()
