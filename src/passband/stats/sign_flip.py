"""The exact sign-flip test of paired differences, by their lattice.

If two systems are exchangeable, each task's difference is as likely as its negative. The test asks how often random
signs give a sum as far from 0 as the one seen. Differences of success counts are whole multiples of a step, so the
law of the sum lives on a lattice and is computed, not sampled and not enumerated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["sign_flip_p"]

_WORK = 2**23  # cosines, about 0.2 s
_UNIT = 0.03  # of a task's root mean square: rounding to it adds 0.0075% to the variance of the sum
_REACH = 10.0  # standard deviations on either side; the mass beyond is 1e-23
_NOISE = 1e-12  # below it the transform's rounding shows


def sign_flip_p(differences: ArrayLike) -> float | FloatArray:
    """Two-sided p of the sign-flip test.

    Parameters
    ----------
    differences : array_like of int, shape (..., tasks)
        One whole number a task: differences in units of the lattice step.

    Returns
    -------
    float or ndarray, shape (...)
        P(|sum of ± d| >= |sum of d|); 1 where all differences are 0. Exact to 1e-13 absolutely; below 1e-12 Hoeffding's
        upper bound stands in. Only where the steps are very fine (unequal sample numbers with a large common multiple)
        and many, they are rounded to 3% of a typical difference, which moves the p-value by less than 0.002.

    Raises
    ------
    InvalidInputError
        Where a difference is not whole, or there is no task.

    Notes
    -----
    Fisher (1935), The Design of Experiments, section 21. With differences of -1, 0 and 1 it is McNemar's exact test.
    A sum of signed d_j has the characteristic function prod cos(d_j t), whose inverse transform is the law.

    Examples
    --------
    >>> sign_flip_p([1, 1, 1, 1, 1])
    0.0625
    """
    values = whole_numbers(differences, "differences", minimum=-(2**53))
    if values.ndim == 0 or values.shape[-1] == 0:
        raise InvalidInputError("there is no task", where="differences")
    rows = values.reshape(-1, values.shape[-1])
    return scalar(np.array([_one_row(row) for row in rows]).reshape(values.shape[:-1]))


def _one_row(differences: IntArray) -> float:
    observed = abs(float(differences.sum()))
    sizes = np.abs(differences[differences != 0])
    if observed == 0:
        return 1.0
    step = int(np.gcd.reduce(sizes))
    sizes, observed = sizes // step, observed / step
    deviation = float(np.sqrt((sizes.astype(np.float64) ** 2).sum()))
    unit = _UNIT * deviation / np.sqrt(len(sizes))
    if unit > 1 and len(np.unique(sizes)) * _REACH * deviation > _WORK:
        # A rounding error carries its task's random sign: the errors do not add up, they widen the sum a little.
        sizes = np.rint(sizes / unit).astype(np.int64)
        observed, deviation = observed / unit - 0.5, deviation / unit
    p_value = 2 * _signed_sum_tail(sizes, max(0, int(np.ceil(observed))), deviation)
    if p_value < _NOISE:
        p_value = min(_NOISE, 2 * np.exp(-((observed / deviation) ** 2) / 2))
    return float(min(1.0, max(p_value, 2.0 ** (1 - np.count_nonzero(differences)))))


def _signed_sum_tail(sizes: IntArray, least: int, deviation: float) -> float:
    """P(sum of ± sizes >= least), for sizes without a common divisor.

    The sum is 2 T - reach, with T a sum that each task joins or not. T is computed modulo a length that holds ten
    standard deviations on either side of its mean, which leaves nothing to fold over.
    """
    reach = int(sizes.sum())
    start = (reach + least + 1) // 2
    stop = min(reach, (reach + int(_REACH * deviation)) // 2 + 1)
    length = 1 << min(reach, int(_REACH * deviation) + 2).bit_length()
    steps, repeats = np.unique(sizes, return_counts=True)
    turn = np.arange(length // 2 + 1)
    # T's characteristic function is e^(i reach t / 2) times a real product of cosines; the phase is put back at once.
    modulus = np.ones(length // 2 + 1)
    for step, repeat in zip(steps.tolist(), repeats.tolist(), strict=True):
        modulus *= np.cos(np.pi / length * ((turn * step) % (2 * length))) ** repeat
    phase = np.pi / length * ((turn * (reach - 2 * start)) % (2 * length))
    law = np.fft.irfft(modulus * np.exp(-1j * phase), length)  # turned, so that `start` comes first
    return float(law[: max(0, stop - start + 1)].sum())
