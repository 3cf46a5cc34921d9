"""Counter-based randomness: a number is a function of who asks, never of when.

The generator is that of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): its finaliser applied to the state
``key + counter × golden gamma``. It has no state of its own, so that an episode comes out the same in any batch, in
any order and on any number of threads. It is applied twice, since keys of neighbouring episodes may be close.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["uniform", "uniforms"]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniforms(keys: NDArray[np.uint64], counters: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1), one for each pair of key and counter.

    Parameters
    ----------
    keys, counters : ndarray of uint64
        They broadcast.

    Returns
    -------
    ndarray of float64
        Multiples of 2**-53.
    """
    with np.errstate(over="ignore"):  # arithmetic modulo 2**64 is meant
        z = _mix(_mix(keys) + counters * _GAMMA)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def uniform(key: int, counter: int) -> float:
    """One uniform number in [0, 1)."""
    return float(uniforms(np.array([key], np.uint64), np.array([counter], np.uint64))[0])
