"""Numbers inside titles and reasons, in percent and points."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from passband.stats import Estimate

__all__ = ["ends", "ordinary", "share", "signed"]


def share(rate: float) -> str:
    """``55.1``, in percent."""
    return f"{100 * rate:.1f}"


def signed(difference: float) -> str:
    """``-5.6``, in points."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


def ends(estimate: Estimate, number: Callable[[float], str]) -> str:
    """The interval, written by `number`."""
    if estimate.low is None or estimate.high is None:
        return "not estimable"
    return f"[{number(float(estimate.low))}, {number(float(estimate.high))}]"


def ordinary(cases: int, n: NDArray[np.int64]) -> str:
    """``27 tasks × 8``."""
    least, most = int(n.min()), int(n.max())
    return f"{cases} task{'s' if cases != 1 else ''} × {least if least == most else f'{least} to {most}'}"
