"""Which sample comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.run.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passband.records import RunHeader
    from passband.suite import EvalSuite

__all__ = ["pending"]


def pending(suite: EvalSuite, header: RunHeader, done: Iterable[tuple[int, int]]) -> Iterator[Work]:
    """Give the samples the store does not hold, sample by sample over all cases.

    In that order the numbers on the way are about the whole suite, not about its beginning.

    Parameters
    ----------
    suite : EvalSuite
        The cases.
    header : RunHeader
        The run: n samples of each.
    done : iterable of (int, int)
        (case position, sample index) of what is there.
    """
    cases = len(suite)
    held = bytearray(cases * header.samples_per_case)  # a byte a sample: a million are a megabyte
    for case_no, index in done:
        held[index * cases + case_no] = 1
    for index in range(header.samples_per_case):
        for case_no, case in enumerate(suite):
            if not held[index * cases + case_no]:
                yield Work(case_no, case, index)
