"""Which sample comes next where a rule may end the run early: round after round, as the rule wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from passband.run.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.records import RunHeader, Sample, SampleTable
    from passband.run.progress import Progress
    from passband.suite import EvalSuite

__all__ = ["Rounds", "Rule"]

_FAILED, _PASSED, _ERRORED = 1, 2, 3


class Rule(Protocol):
    """Says what a round has, and when there were enough of them."""

    def next_round(self) -> Sequence[int]:
        """Samples of each case in the next round, at least one of each."""
        ...

    def add_round(self, passed: Sequence[int], failed: Sequence[int], errored: Sequence[int]) -> str | None:
        """Take the results of a round, a number a case; return the reason to end the run here, or None."""
        ...


class Rounds:
    """Gives the samples of a run by rounds; those that a store holds already are counted where their round comes.

    What a round has depends on the rounds before it and on nothing else: an interrupted run goes on as if it had not
    been, for any number of workers.

    Parameters
    ----------
    suite : EvalSuite
        The cases.
    header : RunHeader
        The run: at most n samples of each. Where a case has them all there are no more rounds, and the rest follows.
    held : SampleTable
        What the store holds.
    rule : Rule
        Who decides.
    progress : Progress
        Is told where it was enough.
    """

    def __init__(self, suite: EvalSuite, header: RunHeader, held: SampleTable, rule: Rule, progress: Progress) -> None:
        self._suite = suite
        self._most = header.samples_per_case
        self._rule = rule
        self._progress = progress
        self._held = bytearray(len(suite) * self._most)
        for case_no, index, passed in zip(held.case, held.index, held.passed, strict=True):
            self._held[case_no * self._most + index] = (_FAILED, _PASSED, _ERRORED)[passed]
        self._round = [[0, 0, 0] for _ in suite]

    def count(self, case_no: int, sample: Sample) -> None:
        """Add a sample that is stored to the round under way."""
        kind = _ERRORED if sample.verdict is None else _PASSED if sample.verdict.passed else _FAILED
        self._round[case_no][kind - 1] += 1

    def __iter__(self) -> Iterator[Work | None]:
        """Give samples, and None where a round ends: what comes after it waits until all before it are counted."""
        drawn = [0] * len(self._suite)
        while self._progress.scheduled and max(drawn) < self._most:
            wanted = self._rule.next_round()
            self._round = [[0, 0, 0] for _ in drawn]
            for case_no, case in enumerate(self._suite):
                for _ in range(min(int(wanted[case_no]), self._most - drawn[case_no])):
                    kind = self._held[case_no * self._most + drawn[case_no]]
                    if kind:
                        self._round[case_no][kind - 1] += 1
                    else:
                        yield Work(case_no, case, drawn[case_no])
                        self._held[case_no * self._most + drawn[case_no]] = _FAILED  # whichever: not to be drawn again
                    drawn[case_no] += 1
            yield None
            failed, passed, errored = zip(*self._round, strict=True)
            enough = self._rule.add_round(passed, failed, errored)
            if enough:
                self._progress.enough = self._progress.stopped = enough
                return
        for index in range(self._most):
            for case_no, case in enumerate(self._suite):
                if not self._held[case_no * self._most + index]:
                    yield Work(case_no, case, index)
