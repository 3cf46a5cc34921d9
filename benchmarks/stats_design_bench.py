"""Design, Bayes and selection: CPU time side by side with what else does the job, and how cost grows with tasks.

python benchmarks/stats_design_bench.py
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: CPU time of one thread, not of idle ones

import tracemalloc

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize
from scipy.stats import betabinom
from stats_bench import counts, cpu
from statsmodels.stats.power import TTestPower

from passband import stats


def scipy_fit(c, n):
    """Maximise scipy's beta-binomial likelihood, the usual recipe."""
    return minimize(lambda x: -betabinom.logpmf(c, n, *np.exp(x)).sum(), [0.0, 0.0], method="Nelder-Mead")


def resampled_best(rng, c, n, resamples):
    """Percentile interval of the best of several systems, choosing again in each resample of tasks."""
    rates = c / n
    tasks = rng.integers(0, rates.shape[1], (resamples, rates.shape[1]))
    return np.quantile([rates[:, row].mean(axis=1).max() for row in tasks], [0.025, 0.975])


def rivals(rng):
    c = counts(rng, 500, 32)
    yield (
        "beta-binomial fit, 500 × 32",
        cpu(lambda: stats.beta_binomial_mle(c, 32)),
        cpu(lambda: scipy_fit(c, 32), 1),
        "scipy betabinom + Nelder-Mead",
    )
    effects = np.linspace(0.05, 1.0, 200)
    ours = cpu(lambda: stats.required_units(effects, 1.0, method="t"))
    theirs = cpu(lambda: [TTestPower().solve_power(e, power=0.8, alpha=0.05) for e in effects], 1)
    yield "exact sample size, 200 effects", ours, theirs, "statsmodels solve_power, one by one"
    many = rng.binomial(8, rng.beta(0.4, 0.3, (32, 100)))
    ours = cpu(lambda: stats.selection_interval(many, 8))
    theirs = cpu(lambda: resampled_best(rng, many, 8, 10_000), 1)
    yield "interval of the best of 32, 100 tasks", ours, theirs, "numpy bootstrap, 10,000 resamples"


def main():
    rng = np.random.default_rng(0)
    console = Console(width=120)
    table = Table("job", "passband, ms", "rival, ms", "ratio", "rival", box=None)
    for name, ours, theirs, rival in rivals(rng):
        table.add_row(name, f"{1e3 * ours:.2f}", f"{1e3 * theirs:.1f}", f"{theirs / ours:,.0f}×", rival)
    console.print(table)
    growth = Table("tasks", "posterior, ms", "fit, ms", "allocation, ms", "peak of the posterior, MB", box=None)
    for tasks in (10**2, 10**3, 10**4, 10**5, 10**6):
        c = counts(rng, tasks, 32)
        tracemalloc.start()
        stats.hierarchical_beta_binomial(c, 32)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        jobs = (
            lambda c=c: stats.hierarchical_beta_binomial(c, 32),
            lambda c=c: stats.beta_binomial_mle(c, 32),
            lambda c=c, tasks=tasks: stats.allocate_samples(c, 32, tasks),
        )
        growth.add_row(f"{tasks:,}", *(f"{1e3 * cpu(job):.1f}" for job in jobs), f"{peak:.0f}")
    console.print(growth)


if __name__ == "__main__":
    main()
