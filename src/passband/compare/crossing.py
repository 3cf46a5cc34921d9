"""Where two curves of pass@k cross, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from passband.stats import PairedMean

__all__ = ["Crossing", "find_crossing"]

RESAMPLES = 2_000
_SEED = 0
_EQUAL = 1e-12  # curves closer than this are equal: they are means of the same fractions, summed in another order


@dataclass(frozen=True)
class Crossing:
    """The first k at which the candidate has changed sides."""

    observed: int | None
    """As observed; None where it does not change sides."""
    after: int | None
    """Largest k at which it is still shown on the side it is shown on first; None where it is shown on neither."""
    by: int | None
    """First larger k at which it is shown on the other side: the curves cross after `after` and by `by`, with the
    chance at which the band holds. None where no crossing is shown."""
    resampled: float
    """Share of 2,000 resamples of the cases in which the curves cross: as they are observed to, or either way where
    they are not."""
    resampled_ks: tuple[int, int, int] | None
    """5 %, 50 % and 95 % quantiles of the k at which those cross."""


def find_crossing(ks: Sequence[int], points: Sequence[PairedMean], differences: NDArray[np.float64]) -> Crossing:
    """Find where the difference of two curves changes its sign.

    Parameters
    ----------
    ks : sequence of int
        Increasing.
    points : sequence of PairedMean
        Candidate less baseline at each k, simultaneous: :func:`passband.stats.paired_curve_difference`.
    differences : ndarray, shape (k, cases)
        The same case by case, for resampling cases.

    Returns
    -------
    Crossing
    """
    cases = differences.shape[1]
    (place,), (side,) = _first_changes(differences.mean(axis=1, keepdims=True))
    shown = np.array([_shown(point) for point in points])
    first = next((one for one in shown.tolist() if one), 0)
    beyond = np.flatnonzero(shown == -first) if first else np.zeros(0, np.int64)
    by = int(beyond[0]) if len(beyond) else None
    same = np.flatnonzero(shown[:by] == first) if first else np.zeros(0, np.int64)
    where, began = _resampled(differences, cases)
    crossed = np.sort(where[(where >= 0) & ((began == side) | (place < 0))])
    quantiles = [ks[int(crossed[int(q * (len(crossed) - 1))])] for q in (0.05, 0.5, 0.95)] if len(crossed) else []
    return Crossing(
        observed=ks[place] if place >= 0 else None,
        after=ks[int(same[-1])] if len(same) else None,
        by=None if by is None else ks[by],
        resampled=len(crossed) / RESAMPLES,
        resampled_ks=(quantiles[0], quantiles[1], quantiles[2]) if quantiles else None,
    )


def _resampled(differences: NDArray[np.float64], cases: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`_first_changes` of curves over resampled cases, a few million weights at a time."""
    rng = np.random.default_rng(_SEED)
    batch = max(1, 2_000_000 // cases)
    parts = []
    for begin in range(0, RESAMPLES, batch):
        weights = rng.multinomial(cases, np.full(cases, 1 / cases), min(batch, RESAMPLES - begin))
        parts.append(_first_changes(differences @ weights.T / cases))
    places, sides = zip(*parts, strict=True)
    return np.concatenate(places), np.concatenate(sides)


def _first_changes(curves: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each column of differences over k: where the sign first turns (-1: nowhere), and the sign before."""
    sign = np.sign(np.where(np.abs(curves) > _EQUAL, curves, 0.0)).astype(np.int64)
    began = sign[(sign != 0).argmax(axis=0), np.arange(sign.shape[1])]
    turned = (sign == -began) & (began != 0)
    return np.where(turned.any(axis=0), turned.argmax(axis=0), -1), began


def _shown(point: PairedMean) -> int:
    """1 or -1 where the interval lies above or below 0, otherwise 0."""
    low, high = point.estimate.low, point.estimate.high
    return int(low is not None and float(low) > 0) - int(high is not None and float(high) < 0)
