"""Which files an answer may touch: the author's globs, read with suspicion."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from passband.errors import SuiteError
from passband.grade.patch.names import folded, streamless, unsafe
from passband.grade.patch.result import RefusalError, shown
from passband.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from pathspec import GitIgnoreSpec

__all__ = ["Scope", "scope_of"]


class Scope:
    """Allowed and forbidden globs, compiled.

    Globs are gitignore-style with one difference: a name without a slash or a wildcard, such as ``setup.py``, means
    that file at the top; one of that name anywhere is ``**/setup.py``. Where a file of the repository is turned into a
    folder, only a glob that ends in ``/`` or ``**`` allows what lies in it. What may be touched must not look like what
    may not: a forbidden glob is tried once more on the folded name of an allowed file (see
    :func:`~passband.grade.patch.names.folded`), and an allowed file may not take the place of a folder whose whole
    content is forbidden: a file ``tests`` would keep ``tests/**`` from ever being written.

    Parameters
    ----------
    allowed : sequence of str
        The file must match one of these, exactly as it is spelt.
    forbidden : sequence of str
        The file must match none of these, exactly as it is spelt; an allowed one, in any spelling.

    Raises
    ------
    SuiteError
        For a glob that cannot be read: the suite's fault, never the answer's.
    """

    def __init__(self, allowed: Sequence[str], forbidden: Sequence[str]) -> None:
        self._allowed_globs = allowed
        self._forbidden_globs = forbidden
        self._allowed = _compiled([_anchored(glob) for glob in allowed], "allowed_files")
        self._forbidden = _compiled([_anchored(glob) for glob in forbidden], "forbidden")
        self._forbidden_folded = _compiled([_anchored(folded(glob)) for glob in forbidden], "forbidden")

    def check(self, names: Collection[str], special: str | None = None, *, files: Container[str] = ()) -> None:
        """Refuse unless every name may be touched; safety comes before scope.

        Parameters
        ----------
        names : collection of str
            Every canonical name the patch carries, on either side of any header.
        special : str, optional
            Why one of them is no regular file (a symbolic link, a submodule).
        files : container of str
            The files of the repository.
        """
        for name in names:
            reason = unsafe(name) or self._forbidding(self._forbidden, name)
            if reason:
                raise RefusalError(f"{shown(name)} {reason}", Outcome.SAFETY_VIOLATION)
        if special:
            raise RefusalError(special, Outcome.SAFETY_VIOLATION)
        for name in names:
            if not self._allows(name, files):
                globs = ", ".join(self._allowed_globs) or "nothing"
                raise RefusalError(f"{shown(name)} is outside allowed_files ({globs[:200]})", Outcome.OUT_OF_SCOPE)
        for name in names:
            reason = self._resembling(name)
            if reason:
                raise RefusalError(f"{shown(name)} {reason}", Outcome.SAFETY_VIOLATION)

    def _allows(self, name: str, files: Container[str]) -> bool:
        hit = self._allowed.check_file(name)
        if not hit.include or hit.index is None:
            return False
        # As in a .gitignore file the glob of a file matches what lies below it too, had it been a folder.
        below = any(str(parent) in files for parent in PurePosixPath(name).parents)
        return not below or self._allowed_globs[hit.index].endswith(("/", "**"))

    def _forbidding(self, spec: GitIgnoreSpec, path: str) -> str | None:
        hit = spec.check_file(path)
        if not hit.include or hit.index is None:
            return None
        return f"is forbidden by {self._forbidden_globs[hit.index]!r}"

    def _resembling(self, name: str) -> str | None:
        """Say what is forbidden that an allowed name is on some disks, or takes the place of."""
        form = folded(streamless(folded(name)))
        if self._forbidden_folded.check_file(form).include is False:
            return None  # the author's "!" speaks of this very file
        for path in (form, f"{form}/_"):
            reason = self._forbidding(self._forbidden_folded, path)
            if reason:
                return reason if form == name else f"{reason}, being {shown(form)} on some disks"
        return None


def _anchored(glob: str) -> str:
    return f"/{glob}" if not any(ch in glob for ch in "/*?[!#\\") else glob


def _compiled(globs: Sequence[str], field: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(globs)
    except ValueError as error:
        raise SuiteError(str(error), where=field, fix="write globs as in a .gitignore file") from None


@lru_cache(maxsize=256)
def scope_of(allowed: tuple[str, ...], forbidden: tuple[str, ...]) -> Scope:
    """Compile a policy once: thousands of samples share it."""
    return Scope(allowed, forbidden)
