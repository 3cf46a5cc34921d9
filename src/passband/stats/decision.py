"""One verdict on a difference: better, worse, same or unclear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from passband.errors import InvalidInputError

if TYPE_CHECKING:
    from passband.stats._result import Estimate, FloatArray

__all__ = ["Decision", "Verdict", "decide"]

Verdict = Literal["better", "worse", "same", "unclear"]


class _Law(Protocol):
    def p_at_most(self, null: float) -> FloatArray: ...
    def p_at_least(self, null: float) -> FloatArray: ...


class Difference(Protocol):
    """A difference b - a with the law that its interval came from."""

    @property
    def estimate(self) -> Estimate:
        """Value and interval."""

    @property
    def law(self) -> _Law | None:
        """What interval and p-values are read off."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What may be claimed of b - a at a margin, and the p-value of each claim.

    All p-values are two-sided ones, that is twice the one-sided, so that each is below 1 - level exactly where the
    interval of the difference supports its claim. None where there is no interval.

    Attributes
    ----------
    verdict : {"better", "worse", "same", "unclear"}
        The one claim that holds, in this order.
    margin : float
        Differences up to it do not matter.
    p_superior : float or None
        Of b - a being at most `margin`. Below 1 - level: better.
    p_inferior : float or None
        Of b - a being at least -`margin`. Below 1 - level: worse.
    p_non_inferior : float or None
        Of b - a being at most -`margin`. Below 1 - level: no worse than the margin allows.
    p_equivalent : float or None
        Of b - a lying outside (-`margin`, `margin`), the larger of two tests. Below 1 - level: same.
    """

    verdict: Verdict
    margin: float
    p_superior: float | None
    p_inferior: float | None
    p_non_inferior: float | None
    p_equivalent: float | None


def decide(difference: Difference, margin: float = 0.0) -> Decision:
    """Read the verdict off a difference.

    Parameters
    ----------
    difference : PairedDifference, PairedMean or UnpairedDifference
        Of one evaluation, not a batch.
    margin : float
        Differences up to it, as a fraction, do not matter. With 0 nothing but a difference can be claimed.

    Returns
    -------
    Decision
        "better" where the whole interval lies above the margin, "worse" below its negative, "same" strictly between
        the two, "unclear" otherwise and where there is no interval.

    Raises
    ------
    InvalidInputError
        Where `margin` is not in [0, 1), or `difference` is a batch.

    Notes
    -----
    Superiority by a margin, non-inferiority and equivalence by two one-sided tests (Schuirmann 1987), all at the level
    of the interval, each side at half of its error: one interval answers them all.

    Examples
    --------
    >>> from passband.stats import paired_difference
    >>> found = paired_difference([2, 0, 3, 1, 2, 1, 0, 2], 8, [7, 6, 8, 5, 7, 6, 5, 8], 8)
    >>> decide(found, margin=0.05).verdict
    'better'
    """
    if not 0 <= margin < 1:
        raise InvalidInputError(f"{margin} is not in [0, 1)", where="margin", fix="2 points are 0.02")
    if np.ndim(difference.estimate.value) != 0:
        raise InvalidInputError("one difference is wanted, not a batch", where="difference")
    law = difference.law
    if law is None:
        return Decision("unclear", margin, None, None, None, None)
    superior, inferior, non_inferior, below = (
        min(1.0, 2 * float(p))
        for p in (law.p_at_most(margin), law.p_at_least(-margin), law.p_at_most(-margin), law.p_at_least(margin))
    )
    equivalent = max(non_inferior, below)
    alpha = 1 - difference.estimate.level
    claims: tuple[tuple[Verdict, float], ...] = (("better", superior), ("worse", inferior), ("same", equivalent))
    verdict: Verdict = next((word for word, p in claims if p < alpha), "unclear")
    return Decision(verdict, margin, superior, inferior, non_inferior, equivalent)
