"""The caller's own files that a command names: ``./agent.sh``, ``python3 agent.py``."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from passband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LocalFiles"]

_SHOWN_ANYWAY = ("/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/usr")


class LocalFiles:
    """Words of a command that are files where the caller stands, each to be shown to it read-only at its own place.

    Nothing else of their folders is shown: those may hold a suite with its hidden tests.

    Parameters
    ----------
    argv : sequence of str
        The command. Its first word is a file if it has a slash in it, as in a shell.
    mounts : sequence of str
        Paths that are shown already.
    """

    def __init__(self, argv: Sequence[str], mounts: Sequence[str] = ()) -> None:
        shown = [*map(Path, _SHOWN_ANYWAY), *map(_absolute, mounts)]
        self._argv = argv
        self._places = {}
        for place, word in enumerate(argv):
            path = _absolute(word) if "\0" not in word and (place or "/" in word) else None
            if path is not None and path.is_file() and not any(path.is_relative_to(other) for other in shown):
                self._places[place] = path

    @property
    def paths(self) -> list[str]:
        """What is to be shown."""
        return sorted({str(path) for path in self._places.values()})

    @property
    def digests(self) -> Mapping[str, str]:
        """Word → digest of the file's content: another script is another subject.

        Raises
        ------
        UsageError
            Where one can't be read.
        """
        found = {}
        for place, path in self._places.items():
            try:
                file = path.open("rb")
            except OSError as error:
                raise UsageError(f"cannot be read: {error.strerror}", where=str(path)) from None
            with file:
                found[self._argv[place]] = hashlib.file_digest(file, "sha256").hexdigest()
        return found

    def named(self, argv: Sequence[str], workspace: Mapping[str, bytes]) -> list[str]:
        """The command with these files by their full paths.

        A word other than the first that is a file of the workspace too means that one.
        """
        found = list(argv)
        for place, path in self._places.items():
            if place == 0 or os.path.normpath(argv[place]) not in workspace:
                found[place] = str(path)
        return found

    def advice(self, said: str, *, started: bool = True) -> str:
        """What to do about a program or a file that the sandbox does not show, or does not let it use.

        Parameters
        ----------
        said : str
            The error.
        started : bool
            Whether the program itself was found.
        """
        program = self._argv[0]
        if "ermission denied" in said:
            return "; everybody must be able to read it and, if it is a program, to execute it: chmod 755"
        if not any(text in said for text in ("No such file", "not found", "No module named")):
            return ""
        if not started and "/" not in program:
            if Path(program).is_file():
                return f"; for the file here write ./{program}"
            if found := shutil.which(program):
                return (
                    f"; {found} is not shown in the sandbox: give its path, and --set mounts=FOLDER with all it needs"
                )
        interpreter = "" if started else ", and its interpreter must be among them"
        return (
            "; a command sees its workspace, the system's programs and the files that are named in it"
            f"{interpreter}: show more with --set mounts=FOLDER"
        )


def _absolute(path: str) -> Path:
    # Links stay: a program may go by the name it was called by, and a virtual environment's does.
    return Path(os.path.normpath(Path.cwd() / path))
