"""Looking after every round, where a round may draw more of one task than of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import real_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["StratifiedSequence"]

_STAKE = 0.8  # the largest: at 1 a single surprise could ruin
_PILOT = 4  # rounds of one sample a task, before rates are believed
_MOST = 4  # samples of a task in a round, where its rate is 1/2
_WORTH = 0.7  # of the cost of even rounds, for the same variance: above that, unequal ones aren't worth their risk
_STEPS, _NEGLIGIBLE = 60, 1e-10  # of the search for a bound


class StratifiedSequence:
    """Bounds on the mean pass rate of these very tasks that hold after all rounds together.

    A round draws at least one sample of every task, and the mean of the tasks' rates in it is one look at the mean that
    is sought, however its samples are spread: so they may go where variance is (Neyman 1934), by what the rounds before
    have shown, and the bounds stay valid. :func:`passband.stats.allocate_samples` pools a pilot with what it led to,
    which is better for one look and not valid for many.

    Parameters
    ----------
    tasks : int
        How many there are.
    level : float
        Probability that the bounds of every round cover.
    half_widths : sequence of float
        Which precision to be sharpest at: half the width of the interval, or half a difference, that is waited for.
        Each one more costs a little at all of them.

    Attributes
    ----------
    low, high : float
        The bounds after the rounds so far; they only ever move inwards.

    Raises
    ------
    InvalidInputError
        Without a task, or for a half-width that is none.

    Notes
    -----
    For x >= -1 and 0 <= s < 1, ``exp(s x - psi(s) x^2) <= 1 + s x`` with ``psi(s) = -log(1 - s) - s`` (Fan, Grama and
    Liu 2015, Electronic Journal of Probability 20, lemma 4.1). With x the difference of a sample from a guess that was
    made before it, the product of ``exp(s (X - p) - psi(s) (X - guess)^2)`` over samples of any rates p is a
    supermartingale of mean at most 1 for all stakes s that were chosen before (the empirical-Bernstein bound of Howard,
    Ramdas, McAuliffe and Sekhon 2021, Annals of Statistics 49). A task's m samples in a round have the stake s / m
    each, so that every round's p's add up to its stake times the mean. The bounds are where the mean over `half_widths`
    of these products reaches 2 / (1 - level) on either side (Ville 1939).
    """

    def __init__(self, tasks: int, *, level: float = 0.95, half_widths: ArrayLike) -> None:
        if tasks < 1:
            raise InvalidInputError("at least one task is wanted", where="tasks")
        self._half_widths = real_numbers(half_widths, "half_widths", at_least=1e-9, at_most=1.0).reshape(-1)
        self._threshold = float(np.log(2.0 / (1.0 - check_level(level))))
        self._passed = np.zeros(tasks, dtype=np.int64)
        self._graded = np.zeros(tasks, dtype=np.int64)
        self._rounds = 0
        # For each half-width, and for passes and failures: what was won, what it is charged, what it stood for.
        self._won = np.zeros((2, len(self._half_widths)))
        self._charged = np.zeros((2, len(self._half_widths)))
        self._staked = np.zeros(len(self._half_widths))
        self.low, self.high = 0.0, 1.0

    def next_round(self) -> IntArray:
        """Return how many samples of each task the next round is to have, shape (tasks,)."""
        even = np.ones(len(self._passed), dtype=np.int64)
        if self._rounds < _PILOT:
            return even
        variance = self._variance()
        samples = np.maximum(np.rint(_MOST * 2.0 * np.sqrt(variance)), 1.0).astype(np.int64)
        cheaper = (variance / samples).mean() * samples.mean() < _WORTH * variance.mean()
        return samples if cheaper else even

    def add(self, passed: ArrayLike, failed: ArrayLike, unknown: ArrayLike) -> None:
        """Add a round.

        Parameters
        ----------
        passed, failed, unknown : array_like of int, shape (tasks,)
            Samples of each task that passed, failed, and have no verdict. Of each task there is at least one. Their
            number is that of :meth:`next_round`, or another that was fixed before the round was drawn. Those without a
            verdict count as failures in the lower bound and as passes in the upper one.

        Raises
        ------
        InvalidInputError
            Where a task has no sample in the round, or the counts are not those of the tasks.
        """
        counts = [np.asarray(count, dtype=np.int64) for count in (passed, failed, unknown)]
        if any(count.shape != self._passed.shape or (count < 0).any() for count in counts):
            raise InvalidInputError(f"one count for each of {len(self._passed)} tasks is wanted", where="passed")
        samples = counts[0] + counts[1] + counts[2]
        if (samples == 0).any():
            raise InvalidInputError("a round has a sample of every task", where="passed")
        guess = self._guess()
        expected = max(float((self._variance() / samples).mean()), 1e-6)
        # psi(s) <= s^2 / (2 (1 - s)): so what is charged comes to less than half of the half-width in the long run.
        stakes = np.minimum(_STAKE, self._half_widths / (self._half_widths + expected))
        share = stakes[:, None] / samples
        charge = -np.log1p(-share) - share
        for side, (good, rate) in enumerate(((counts[0], guess), (counts[1], 1.0 - guess))):
            self._won[side] += stakes * float((good / samples).sum())
            squares = good * (1.0 - rate) ** 2 + (samples - good) * rate**2
            self._charged[side] += charge @ squares
        self._staked += stakes * len(samples)
        self._passed += counts[0]
        self._graded += counts[0] + counts[1]
        self._rounds += 1
        self.low = max(self.low, self._bound(0))
        self.high = min(self.high, 1.0 - self._bound(1))

    def _guess(self) -> FloatArray:
        """Guess the tasks' rates from the rounds so far: what each has shown, and one sample's worth of all."""
        total = self._graded.sum()
        overall = self._passed.sum() / total if total else 0.5
        return np.asarray((self._passed + overall) / (self._graded + 1.0))

    def _variance(self) -> FloatArray:
        guess = self._guess()
        return guess * (1.0 - guess)

    def _bound(self, side: int) -> float:
        """Return the largest rate that is excluded from below, 0 where none is; rounded outwards."""
        logs = self._won[side] - self._charged[side]
        rate = 0.0
        # The logarithm of the mean falls in the rate and is convex: Newton's steps come from the left and stay there.
        for _ in range(_STEPS):
            most = float(logs.max())
            weights = np.exp(logs - most)
            excess = most + float(np.log(weights.mean())) - self._threshold
            if excess <= 0.0:
                break
            step = excess * float(weights.sum() / (weights @ self._staked))
            rate += step
            if step < _NEGLIGIBLE:
                break
            logs -= step * self._staked
        return min(rate, 1.0)
