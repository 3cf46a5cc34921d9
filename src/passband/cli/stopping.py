"""When enough has been drawn: rules that a run asks after every round, right however often they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.records import SampleTable
    from passband.run import Progress

__all__ = ["round_bounds", "until_decided", "until_width"]

_STEPS = 30  # halvings: a bound to a billionth
_LEVEL = 0.95


def round_bounds(passed: int, drawn: int, level: float) -> tuple[float, float]:
    """Always-valid bounds on the mean pass rate of these very tasks, after whole rounds.

    A round draws one sample of every task. Robbins' mixture of likelihood ratios, made for one coin, holds for many: at
    the end of a round the product of the tasks' moment generating functions is at most that of as many samples of one
    coin with their mean rate, by concavity of log(1 − p + p·e^λ) in p. Each likelihood ratio is then below a martingale
    of mean 1, and so is their mixture: Ville's inequality holds over all ends of rounds together.

    Parameters
    ----------
    passed, drawn : int
        Samples, over whole rounds.
    level : float
        Probability that the bounds of *every* round cover.
    """
    from passband.stats import e_value

    values = [1.0] * passed + [0.0] * (drawn - passed)  # the mixture knows their number, not their order
    threshold = 1 / (1 - level)

    def excluded(rate: float) -> bool:
        return bool(float(e_value(values, rate, method="mixture").value) >= threshold)

    return _edge(excluded, 0.0, passed / drawn), _edge(excluded, 1.0, passed / drawn)


def _edge(excluded: Callable[[float], bool], outside: float, inside: float) -> float:
    """Outermost rate between `outside` and `inside` that is not excluded, rounded outwards."""
    if not excluded(outside):
        return outside
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        if excluded(middle):
            outside = middle
        else:
            inside = middle
    return outside


def _bounds(progress: Progress, level: float) -> tuple[float, float]:
    # An errored sample may have been a pass or a failure: each bound takes it as the worse.
    low, _ = round_bounds(progress.passed, progress.done, level)
    _, high = round_bounds(progress.passed + progress.errored, progress.done, level)
    return low, high


def until_width(width: float) -> Callable[[Progress], str | None]:
    """Stop when the always-valid interval of pass@1 over these tasks is at most `width` wide."""

    def stop(progress: Progress) -> str | None:
        if not progress.done:
            return None
        low, high = _bounds(progress, _LEVEL)
        if high - low > width:
            return None
        return (
            f"pass@1 is between {100 * low:.1f} and {100 * high:.1f} whenever one looks: within {100 * width:g} points"
        )

    return stop


def until_decided(margin: float, baseline: SampleTable) -> Callable[[Progress], str | None]:
    """Stop when pass@1 over these tasks is decided to be, or not to be, worse than the baseline's by `margin`.

    Half of the error goes to each run, so that the two may be looked at in any way.

    Raises
    ------
    UsageError
        Where the baseline is not complete: its rounds are what its bounds rest on.
    """
    from passband.errors import UsageError

    header = baseline.header
    if len(baseline) != len(header.case_ids) * header.samples_per_case:
        raise UsageError(f"run {header.run_id} is not complete", where="--baseline", fix="resume it first")
    level = (1 + _LEVEL) / 2
    passed = sum(flag > 0 for flag in baseline.passed)
    errored = sum(flag < 0 for flag in baseline.passed)
    base_low, _ = round_bounds(passed, len(baseline), level)
    _, base_high = round_bounds(passed + errored, len(baseline), level)

    def stop(progress: Progress) -> str | None:
        if not progress.done:
            return None
        low, high = _bounds(progress, level)
        low, high = low - base_high, high - base_low
        if -margin < low:
            word = f"not worse than {header.run_id} by {100 * margin:g} points"
        elif high < -margin:
            word = f"worse than {header.run_id} by more than {100 * margin:g} points"
        else:
            return None
        return f"decided: {word}; the difference is between {100 * low:+.1f} and {100 * high:+.1f} points"

    return stop
