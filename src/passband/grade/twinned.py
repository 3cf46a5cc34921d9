"""Reading a run in which some checks cannot hold, and nothing in the process knows which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from passband.grade.report import Report, TestOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.grade.whole import Design

__all__ = ["BENT", "Copy", "Pair", "pair_of", "read_copy", "steady"]

BENT = "a twin of it, which must fail, did not: the run was bent"
_DIFFERENT = "a check of it went another way among twins than by itself"


@dataclass(frozen=True)
class Copy:
    """A copy of the hidden files with twins, and what its checks must note."""

    design: Design
    due: Mapping[str, Mapping[str, str]] = field(repr=False)
    """Test → check → how it goes each time it is reached, on the reference: 1 where it holds, 0 where it does not."""


class Pair(NamedTuple):
    """Two copies of the hidden files: what cannot hold in one of them holds in the other."""

    copies: tuple[Copy, Copy]
    bare: frozenset[str]
    """Tests with a check that no coin decides, so that a pass of it is believed; and tests without any."""


def pair_of(copies: tuple[Copy, Copy], reached: Mapping[str, Mapping[str, str]]) -> Pair:
    """Put two copies together.

    Parameters
    ----------
    copies : two Copy
        The copies.
    reached : mapping
        Test → all that its checks noted on the reference, steady or not.
    """
    bare = frozenset(key for key, noted in reached.items() if not _is_guarded(copies, key, noted))
    return Pair(copies, bare)


def steady(first: Report, second: Report, key: str) -> dict[str, str]:
    """Return what the checks of a test noted in two runs alike."""
    one, other = first.notes.get(key, {}), second.notes.get(key, {})
    return {check: went for check, went in one.items() if other.get(check) == went}


def _is_guarded(copies: tuple[Copy, Copy], key: str, reached: Mapping[str, str]) -> bool:
    """Whether each check that a test reaches holds in one of two copies and not in the other, every time."""
    first, second = (copy.due[key] for copy in copies)
    for check in reached:
        one, other = first.get(check, ""), second.get(check, "")
        if copies[0].design.leeway.get(int(check), (False, False))[0]:
            return False  # nothing shows where its notes are missing
        if len(one) != len(other) or not one or any(a == b for a, b in zip(one, other, strict=True)):
            return False
    return bool(reached)


def read_copy(copy: Copy, report: Report, key: str) -> TestOutcome:
    """Return what became of a test among twins: passed if all its checks noted what they must.

    Parameters
    ----------
    copy : Copy
        Knows what that is.
    report : Report
        Of a process that was not told.
    key : str
        The test.
    """
    outcome = report.outcome(key)
    if not outcome.passed:
        return outcome
    noted = report.notes.get(key, {})
    wrong = ""
    for check, due in copy.due[key].items():
        went = noted.get(check, "")
        maybe, unordered = copy.design.leeway.get(int(check), (False, False))
        if went == due or (maybe and not went) or (unordered and set(went) == set(due)):
            continue
        if len(went) != len(due) or any(a == "1" and b == "0" for a, b in zip(went, due, strict=True)):
            return TestOutcome(passed=False, why=BENT)
        wrong = _DIFFERENT
    return TestOutcome(passed=not wrong, why=wrong)
