"""When enough has been drawn: rules that a run asks after every round, right however often they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.records import RunHeader, SampleTable
    from passband.stats import StratifiedSequence

__all__ = ["UntilDecided", "UntilWidth", "table_bounds"]

_LEVEL = 0.95
_DIFFERENCES = (0.02, 0.06, 0.2)  # what a difference may be that is waited for: how large it is, nobody knows


class _Bounded:
    """A rule that rests on bounds of pass@1 over these very tasks."""

    def __init__(self, bounds: StratifiedSequence) -> None:
        self._bounds = bounds

    def next_round(self) -> Sequence[int]:
        """Samples of each task in the next round: more of those that vary."""
        found: list[int] = self._bounds.next_round().tolist()
        return found

    def _add(self, passed: Sequence[int], failed: Sequence[int], errored: Sequence[int]) -> tuple[float, float]:
        self._bounds.add(passed, failed, errored)
        return self._bounds.low, self._bounds.high


class UntilWidth(_Bounded):
    """Stop when the always-valid interval of pass@1 over these tasks is at most `width` wide.

    Parameters
    ----------
    width : float
        Of the interval.
    tasks : int
        How many there are.
    """

    def __init__(self, width: float, tasks: int) -> None:
        from passband.stats import StratifiedSequence

        super().__init__(StratifiedSequence(tasks, level=_LEVEL, half_widths=width / 2))
        self._width = width
        self._reached = 1.0

    def add_round(self, passed: Sequence[int], failed: Sequence[int], errored: Sequence[int]) -> str | None:
        """Take a round; return the reason to stop, or None."""
        low, high = self._add(passed, failed, errored)
        self._reached = high - low
        if self._reached > self._width:
            return None
        return (
            f"pass@1 is between {100 * low:.1f} and {100 * high:.1f} whenever one looks: "
            f"within {100 * self._width:g} points"
        )

    def unmet(self) -> str:
        """Say what is left where n samples of each task were not enough."""
        return (
            f"pass@1 is known to within {100 * self._reached:.1f} points whenever one looks, not to within "
            f"{100 * self._width:g}: take a larger -n"
        )


class UntilDecided(_Bounded):
    """Stop when pass@1 over these tasks is decided to be, or not to be, worse than the baseline's by `margin`.

    Half of the error goes to each run, so that the two may be looked at in any way.

    Parameters
    ----------
    margin : float
        How much worse is bad enough.
    baseline : SampleTable
        A complete run.
    tasks : int
        How many the candidate has.

    Raises
    ------
    UsageError
        Where the baseline is not complete: its rounds are what its bounds rest on.
    """

    def __init__(self, margin: float, baseline: SampleTable, tasks: int) -> None:
        from passband.stats import StratifiedSequence

        level = (1 + _LEVEL) / 2
        super().__init__(StratifiedSequence(tasks, level=level, half_widths=_DIFFERENCES))
        self._margin = margin
        self._name = baseline.header.run_id
        self._reached = -1.0, 1.0
        self._base_low, self._base_high = table_bounds(baseline, level)
        self._base = baseline.header.harness

    def check(self, header: RunHeader) -> None:
        """Refuse to decide between runs of two suites, or under two harnesses.

        Raises
        ------
        UsageError
            Where they differ.
        """
        from passband.compare.harness import check_allowed, harness_differences

        check_allowed(
            harness_differences(self._base, header.harness), (), (), accept=lambda _: "draw to -n and compare then"
        )

    def add_round(self, passed: Sequence[int], failed: Sequence[int], errored: Sequence[int]) -> str | None:
        """Take a round; return the decision, or None."""
        low, high = self._add(passed, failed, errored)
        low, high = low - self._base_high, high - self._base_low
        self._reached = low, high
        if -self._margin < low:
            word = f"not worse than {self._name} by {100 * self._margin:g} points"
        elif high < -self._margin:
            word = f"worse than {self._name} by more than {100 * self._margin:g} points"
        else:
            return None
        return f"decided: {word}; the difference is between {100 * low:+.1f} and {100 * high:+.1f} points"

    def unmet(self) -> str:
        """Say what is left where n samples of each task were not enough."""
        low, high = self._reached
        return (
            f"it is not decided whether it is worse than {self._name} by {100 * self._margin:g} points: the difference "
            f"is between {100 * low:+.1f} and {100 * high:+.1f} points: take a larger -n"
        )


def table_bounds(table: SampleTable, level: float) -> tuple[float, float]:
    """Bounds on a complete run's pass@1 over its very tasks, its samples taken round by round.

    Raises
    ------
    UsageError
        Where samples are missing, or the run was ended early: then its rounds are not known.
    """
    import numpy as np

    from passband.errors import UsageError
    from passband.stats import StratifiedSequence

    header = table.header
    tasks, n = len(header.case_ids), header.samples_per_case
    if table.enough:
        raise UsageError(f"run {header.run_id} was ended early by a rule", where="--baseline", fix="draw one to its -n")
    if len(table) != tasks * n:
        raise UsageError(f"run {header.run_id} is not complete", where="--baseline", fix="resume it first")
    flags = np.empty((n, tasks), dtype=np.int8)
    flags[np.asarray(table.index), np.asarray(table.case)] = np.asarray(table.passed)
    bounds = StratifiedSequence(tasks, level=level, half_widths=_DIFFERENCES)
    for flag in flags:
        bounds.add(flag == 1, flag == 0, flag < 0)
    return bounds.low, bounds.high
