"""What a subject does now on a case where it used to do something else: its answers, sorted by what they do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from passband.records import Sample

__all__ = ["ActionShift", "action_shifts"]

NO_ACTION = "(none)"
"""Of an answer in which the pattern finds nothing, and of a sample without an answer."""


@dataclass(frozen=True)
class ActionShift:
    """One action, and how often each side took it."""

    action: str
    baseline: int
    """Graded samples of the baseline that took it."""
    candidate: int
    passed: int
    """How many of both passed."""


def action_shifts(
    baseline: Iterable[Sample], candidate: Iterable[Sample], *, pattern: re.Pattern[str] | None = None
) -> tuple[ActionShift, ...]:
    """Count the actions of both sides on one case.

    Parameters
    ----------
    baseline, candidate : iterable of Sample
        Of one case. Samples without a verdict are left out.
    pattern : re.Pattern, optional
        What of an answer is the action: its first match, or the first group of it. By default an action is a whole
        answer.

    Returns
    -------
    tuple of ActionShift
        What the candidate does more often comes first, what it does less often last; shares are compared where the
        sides have different numbers of samples.
    """
    passed: Counter[str] = Counter()
    sides = []
    for samples in (baseline, candidate):
        taken: Counter[str] = Counter()
        for sample in samples:
            if sample.verdict is None:
                continue
            action = _action(sample, pattern)
            taken[action] += 1
            passed[action] += sample.verdict.passed
        sides.append(taken)
    before, after = sides
    drawn, redrawn = max(before.total(), 1), max(after.total(), 1)
    order = sorted(before | after, key=lambda action: (before[action] / drawn - after[action] / redrawn, action))
    return tuple(ActionShift(action, before[action], after[action], passed[action]) for action in order)


def _action(sample: Sample, pattern: re.Pattern[str] | None) -> str:
    if sample.output is None:
        return NO_ACTION
    if pattern is None:
        return sample.output.text
    match = pattern.search(sample.output.text)
    if match is None:
        return NO_ACTION
    return (match[1] if pattern.groups else match[0]) or NO_ACTION
