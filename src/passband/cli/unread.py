"""What a command does whose reader, a pager or ``head``, has left: it ends without a word."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXIT_UNREAD", "ReadGroup", "UnreadError", "end_unread", "unread_told"]

EXIT_UNREAD = 141  # what shells expect of a command whose reader has left


class UnreadError(Exception):
    """The reader of the output has left."""


@contextlib.contextmanager
def unread_told() -> Iterator[None]:
    """Click would make of it an exit with 1, which says that a candidate is worse."""
    try:
        yield
    except BrokenPipeError as error:
        raise UnreadError from error


class ReadGroup(click.Group):
    """Commands that raise :class:`UnreadError` where their reader has left."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the options."""
        with unread_told():  # help and version are printed while options are read
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with unread_told():
            return super().invoke(ctx)


def end_unread() -> int:
    """Return the exit code; what is left of the output must not complain once more at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except (OSError, ValueError, AttributeError):  # closed before the start, or full
            continue
    return EXIT_UNREAD
