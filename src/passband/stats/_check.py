"""Input that no statistic can be made from is refused here, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["check_alternative", "check_level", "counts", "fractions", "task_counts", "whole_numbers"]

_EXACT = 2**53  # beyond it float64 skips integers


def whole_numbers(values: ArrayLike, name: str, *, minimum: int = 0) -> IntArray:
    """Return `values` as int64, or say which of them is not a whole number of at least `minimum`."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif":
        raise InvalidInputError(f"whole numbers are wanted, not {array.dtype}", where=name)
    if array.dtype.kind == "f":
        wrong = ~(np.floor(array) == array)  # NaN fails this too
        wrong |= ~np.isfinite(array)
        if wrong.any():
            raise InvalidInputError(f"{array[wrong].flat[0]} is not a whole number", where=name)
    if array.size:
        if (least := array.min()) < minimum:
            raise InvalidInputError(f"{least} is below {minimum}", where=name)
        if (most := array.max()) > _EXACT:
            raise InvalidInputError(f"{most} is beyond 2**53, where counts stop being exact", where=name)
    return array.astype(np.int64, copy=False)


def counts(c: ArrayLike, n: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return successes and samples, broadcast against each other, with 0 <= c <= n and n >= 1."""
    c_whole, n_whole = whole_numbers(c, "c"), whole_numbers(n, "n", minimum=1)
    try:
        c_all, n_all = np.broadcast_arrays(c_whole, n_whole)
    except ValueError:
        raise InvalidInputError(f"shapes {c_whole.shape} and {n_whole.shape} do not fit", where="c and n") from None
    if (over := c_all > n_all).any():
        raise InvalidInputError(f"{c_all[over].flat[0]} successes of {n_all[over].flat[0]} samples", where="c")
    return c_all, n_all


def task_counts(c: ArrayLike, n: ArrayLike) -> tuple[IntArray, IntArray]:
    """Like :func:`counts`, with tasks on the last axis and at least one of them."""
    c_all, n_all = counts(c, n)
    if c_all.ndim == 0:
        raise InvalidInputError("one count a task is wanted, not a single number", where="c", fix="pass a list")
    if c_all.shape[-1] == 0:
        raise InvalidInputError("there is no task", where="c")
    return c_all, n_all


def fractions(values: ArrayLike, name: str) -> FloatArray:
    """Return `values` as float64 in [0, 1], or say which is outside."""
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        raise InvalidInputError(f"{array[wrong].flat[0]} is not between 0 and 1", where=name)
    return array


def check_level(level: float) -> float:
    """Return `level` if it is a coverage strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InvalidInputError(f"{level} is not strictly between 0 and 1", where="level", fix="95% is 0.95")
    return float(level)


def check_alternative(alternative: str) -> str:
    """Return `alternative` if it is one that intervals know."""
    if alternative not in {"two-sided", "lower", "upper"}:
        raise InvalidInputError(
            f"{alternative!r} is unknown", where="alternative", fix="use 'two-sided', 'lower' or 'upper'"
        )
    return alternative
