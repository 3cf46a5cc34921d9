"""Work once for every distinct count: an evaluation of a million tasks holds only a few hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.stats._result import FloatArray, IntArray

__all__ = ["distinct", "distinct_pairs", "histogram", "lookup_table"]


def distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the sorted distinct values of non-negative `keys`, and for each key the place of its value."""
    top = int(keys.max(initial=0))
    if top > 4 * keys.size + 1024:
        values, index = np.unique(keys, return_inverse=True)
        return values, index.reshape(keys.shape)
    present = np.zeros(top + 1, dtype=bool)
    present[keys] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[keys]


def distinct_pairs(n: IntArray, c: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the distinct (n, c) as two arrays, and for each task the place of its pair; c <= n."""
    sizes, size_index = distinct(n)
    width = int(c.max(initial=0)) + 1
    if len(sizes) * width < 2**62:
        keys, index = distinct(size_index * width + c)
        return sizes[keys // width], keys % width, index
    successes, success_index = distinct(c)
    keys, index = distinct(size_index * len(successes) + success_index)
    return sizes[keys // len(successes)], successes[keys % len(successes)], index


def histogram(index: IntArray, bins: int) -> FloatArray:
    """Count each value of `index` along its last axis: shape (..., bins)."""
    rows = index.reshape(-1, index.shape[-1])
    flat = (rows + np.arange(len(rows))[:, None] * bins).ravel()
    return np.bincount(flat, minlength=len(rows) * bins).reshape(*index.shape[:-1], bins).astype(np.float64)


def lookup_table(
    function: Callable[[IntArray, IntArray, IntArray], FloatArray], n: IntArray, c: IntArray, k: IntArray
) -> FloatArray:
    """Evaluate ``function(n, c, k)`` with broadcasting, once for each distinct (n, c) and k where that is less work."""
    size = np.broadcast(n, k).size
    if size > 256:
        pairs_n, pairs_c, pair_index = distinct_pairs(n, c)
        ks, k_index = distinct(k)
        if len(pairs_n) * len(ks) < size:
            return function(pairs_n[:, None], pairs_c[:, None], ks)[pair_index, k_index]
    return function(n, c, k)
