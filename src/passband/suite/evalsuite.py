"""The suite itself and the hash that names its content."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from passband.errors import SuiteError, UnknownNameError
from passband.records import EvalCase, content_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EvalSuite", "case_digest"]

_LAYOUT = 1  # of what is hashed; moving it moves every version


def _plain(value: Any) -> Any:
    return dict(value)


def case_digest(case: EvalCase) -> str:
    """Digest of everything a case holds, every byte of its files included.

    Raises
    ------
    DataError
        Where a value has no canonical form; see :func:`passband.records.canonical_json`.
    """
    where = f"case {case.id}"
    content = {
        "id": case.id,
        "inputs": case.inputs,
        "reference": case.reference,
        "grader_spec": msgspec.to_builtins(case.grader_spec, enc_hook=_plain),
        "slices": case.slices,
        "tags": case.tags,
        "workspace": {path: hashlib.sha256(data).hexdigest() for path, data in case.workspace.items()},
        "hidden": {path: hashlib.sha256(data).hexdigest() for path, data in case.hidden.items()},
    }
    return content_digest("passband.case", _LAYOUT, content, where=where)


@dataclass(frozen=True)
class EvalSuite:
    """An immutable set of cases.

    Parameters
    ----------
    name : str
        What people call it. Not part of the version: renaming a suite changes no number.
    cases : tuple of EvalCase
        Kept in the order of their ids, whatever order they come in.
    description : str
        A line or two for people.

    Raises
    ------
    SuiteError
        For an empty suite or an id that occurs twice.
    DataError
        For content without a canonical form.
    """

    name: str
    cases: tuple[EvalCase, ...]
    description: str = ""

    def __post_init__(self) -> None:
        if not self.cases:
            raise SuiteError("holds no case", where=self.name)
        ordered = tuple(sorted(self.cases, key=lambda case: case.id))
        for one, two in itertools.pairwise(ordered):
            if one.id == two.id:
                raise SuiteError(f"two cases have the id {one.id!r}", where=self.name, fix="ids are unique in a suite")
        object.__setattr__(self, "cases", ordered)
        _ = self.version  # content that has no hash is refused here, not in the middle of a run

    @cached_property
    def version(self) -> str:
        """Hash of the canonical content of every case: independent of file order, key order and platform."""
        return content_digest("passband.suite", _LAYOUT, [case_digest(case) for case in self.cases])

    @property
    def label(self) -> str:
        """Name and short version, as every report prints it: ``workshop@3f9c1e``."""
        return f"{self.name}@{self.version[:6]}"

    def case(self, case_id: str) -> EvalCase:
        """Return the case of that id, or raise `UnknownNameError` with the closest one."""
        for case in self.cases:
            if case.id == case_id:
                return case
        raise UnknownNameError("case", case_id, (case.id for case in self.cases), where=self.name)

    def __iter__(self) -> Iterator[EvalCase]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)
