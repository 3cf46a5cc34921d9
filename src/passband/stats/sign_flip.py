"""The exact sign-flip test of paired differences, by their lattice.

If two systems are exchangeable, each task's difference is as likely as its negative. The test asks how often random
signs give a sum as far from 0 as the one seen. Differences of success counts are whole multiples of a step, so the
law of the sum lives on a lattice of a few thousand points and is computed exactly, not sampled and not enumerated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats._check import whole_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["sign_flip_p"]


def sign_flip_p(differences: ArrayLike) -> FloatArray:
    """Two-sided p of the sign-flip test.

    Parameters
    ----------
    differences : array_like of int, shape (..., tasks)
        One whole number a task: differences in units of the lattice step.

    Returns
    -------
    ndarray, shape (...)
        P(|sum of ± d| >= |sum of d|), exact to 1e-14 absolutely and never below the least possible value,
        2^(1 - number of non-zero differences). 1 where all differences are 0.

    Raises
    ------
    InvalidInputError
        Where a difference is not whole.

    Notes
    -----
    Fisher (1935), The Design of Experiments, section 21. With differences of -1, 0 and 1 it is McNemar's exact test.
    The characteristic function of a sum of signed d_j is prod cos(d_j t); its inverse transform is the law.
    """
    values = whole_numbers(differences, "differences", minimum=-(2**53))
    rows = values.reshape(-1, values.shape[-1])
    return np.array([_one(row) for row in rows]).reshape(values.shape[:-1])


def _one(differences: IntArray) -> float:
    sizes = np.abs(differences[differences != 0])
    observed = abs(int(differences.sum()))
    if observed == 0:
        return 1.0
    sizes = sizes // int(np.gcd.reduce(sizes))
    observed = observed // int(np.gcd.reduce(np.abs(differences[differences != 0])))
    reach = int(sizes.sum())
    # (sum + reach) / 2 runs over 0 .. reach: each task adds its size or nothing, with equal chance.
    steps, repeats = np.unique(sizes, return_counts=True)
    length = 1 << (reach + 1 - 1).bit_length()
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    frequency = np.arange(length // 2 + 1)
    for step, repeat in zip(steps.tolist(), repeats.tolist(), strict=True):
        angle = 2 * np.pi * ((frequency * step) % length) / length
        spectrum *= (0.5 + 0.5 * np.exp(-1j * angle)) ** repeat
    law = np.fft.irfft(spectrum, length)[: reach + 1]
    tail = float(law[(reach + observed + 1) // 2 :].sum())
    return min(1.0, max(2 * tail, 2.0 ** (1 - len(sizes))))
