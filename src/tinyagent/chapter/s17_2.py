"""17.2: the plug-in estimator of pass@k and the unbiased one, and how to compute the latter."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_at_k, pass_at_k_variance, plug_in_pass_at_k
from tinyagent.chapter.artifacts import GREEN, RED, Figure, Published, Section, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Canvas

    from tinyagent.chapter.lab import Lab

__all__ = ["run"]

EVALUATIONS = 100_000
N, K = 10, 5
TRUE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
CASES = ((10, 3, 5), (10, 0, 5), (10, 6, 5), (64, 2, 32), (200, 4, 100), (2000, 5, 1000))
_GRID = 40


def run(lab: Lab) -> Section:
    """Simulate both estimators, and hold the product against exact fractions."""
    rows = [_simulated(lab, place, p) for place, p in enumerate(TRUE)]
    table = Table(
        "bias",
        f"Mean of two estimates of pass@{K} over {EVALUATIONS:,} evaluations of {N} samples of one task",
        ("p", "truth", "plug-in", "unbiased", "plug-in − truth", "unbiased − truth", "standard error"),
        rows,
        digits=4,
    )
    exact = Table(
        "product",
        "The product against exact fractions, and against the quotient of two binomials as floats",
        ("n", "c", "k", "product", "exact", "difference", "quotient of floats"),
        [_compared(n, c, k) for n, c, k in CASES],
        digits=4,
    )
    worst = max(
        abs(float(Fraction(float(pass_at_k(_GRID, c, k))) - _exact(_GRID, c, k)))
        for c in range(_GRID + 1)
        for k in range(1, _GRID + 1)
    )
    bias = np.array([row[4] for row in rows])
    off = np.abs([row[5] for row in rows])
    errors = float((off / [row[6] for row in rows]).max())
    digits = len(str(comb(2000, 1000)))
    measured = (
        f"The plug-in estimate of pass@{K} is low at every p that was tried, by {-bias.max():.3f} to "
        f"{-bias.min():.3f}; lowest at p = {TRUE[int(bias.argmin())]}. The unbiased one is off by {off.max():.4f} "
        f"at most, and never by more than {errors:.1f} standard errors of the simulation.\n\n"
        f"The product of c factors agrees with exact fractions to {worst:.0e} over all c and k at n = {_GRID}. At "
        f"n = 2000 and k = 1000 the binomial has {digits} digits and no float holds it; the product of five factors "
        f"gives {float(pass_at_k(2000, 5, 1000)):.4f}."
    )
    return Section(
        "17.2",
        "pass@k and its unbiased estimator",
        (table, exact),
        (
            Figure(
                "bias", f"Bias of both estimates of pass@{K} at n = {N}: lines exact, points simulated.", _drawing(rows)
            ),
        ),
        measured,
        (
            Published("bias of the plug-in", "−0.04 to −0.08", f"−{-bias.max():.2f} to −{-bias.min():.2f}"),
            Published("error of the unbiased estimate", "about 0.001", f"{off.max():.4f}"),
            Published("n = 10, c = 3, k = 5", "0.9167", f"{float(pass_at_k(10, 3, 5)):.4f}"),
            Published("n = 2000, c = 5, k = 1000", "0.9689", f"{float(pass_at_k(2000, 5, 1000)):.4f}"),
        ),
        "The two worked values agree in all digits, since both are arithmetic. The bias is that of the true pass rates "
        "that were tried; ours reach further out, to rates at which every estimate is nearly 0 or 1 and the bias is "
        "small. The phenomenon is one of the formula and does not hang on the gym.",
    )


def _simulated(lab: Lab, place: int, p: float) -> tuple[float, ...]:
    c = lab.rng("17.2", place).binomial(N, p, EVALUATIONS)
    truth = 1 - (1 - p) ** K
    plug_in, unbiased = (float(np.mean(estimate(N, c, K))) for estimate in (plug_in_pass_at_k, pass_at_k))
    error = float(np.sqrt(pass_at_k_variance(N, K, p=p) / EVALUATIONS))
    return p, truth, plug_in, unbiased, plug_in - truth, unbiased - truth, error


def _compared(n: int, c: int, k: int) -> tuple[int | float | str, ...]:
    product, exact = float(pass_at_k(n, c, k)), float(_exact(n, c, k))
    return n, c, k, product, exact, f"{product - exact:.0e}", _naive(n, c, k)


def _exact(n: int, c: int, k: int) -> Fraction:
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def _naive(n: int, c: int, k: int) -> float | str:
    try:
        return 1 - float(comb(n - c, k)) / float(comb(n, k))
    except OverflowError:
        return "overflows"


def _drawing(rows: list[tuple[float, ...]]) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        p = np.linspace(0, 1, 201)
        c = np.arange(N + 1)
        chance = np.array([comb(N, i) for i in c]) * p[:, None] ** c * (1 - p[:, None]) ** (N - c)
        axis = canvas.subplots()
        for estimate, place, colour, name in (
            (plug_in_pass_at_k, 4, RED, "plug-in 1 − (1 − c/n)^k"),
            (pass_at_k, 5, GREEN, "1 − C(n − c, k) / C(n, k)"),
        ):
            axis.plot(p, chance @ np.asarray(estimate(N, c, K)) - (1 - (1 - p) ** K), color=colour, label=name)
            axis.plot([row[0] for row in rows], [row[place] for row in rows], "o", ms=4, color=colour)
        axis.set(xlabel="true pass rate of the task", ylabel=f"bias of pass@{K}")
        axis.legend()

    return draw
