"""Statistics side by side with what else does them: CPU time of the same job in one process, and the ratio.

    python benchmarks/stats_bench.py

evalplus and evalstats are installed into a folder that is thrown away; where that fails they are left out, and said to
be. All else comes with the test extra. Rivals that resample take 10,000 resamples; a rival that would run for minutes
is timed on a part of the job, and the table says so.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: CPU time of one thread, not of idle ones

import contextlib
import subprocess
import sys
import tempfile
import time
import tracemalloc

import numpy as np
from arch.bootstrap import IIDBootstrap
from rich.console import Console
from rich.table import Table
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from passband import stats

RESAMPLES = 10_000
RIVALS = ("evalplus", "evalstats", "psutil")  # psutil: evalplus imports it, and nothing else that is not here


@contextlib.contextmanager
def rivals_at_hand():
    """Make the packages importable that nothing else here needs."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", folder, *RIVALS], check=False)
        sys.path.append(folder)
        try:
            yield
        finally:
            sys.path.remove(folder)


def cpu(job, repeats=5):
    """Least CPU seconds of a job over some repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def counts(rng, tasks, samples):
    return rng.binomial(samples, rng.beta(0.4, 0.3, tasks))


def pass_at_k_rows(rng):
    tasks, n, k_max, part = 10_000, 200, 128, 300
    c = counts(rng, tasks, n)
    ks = np.arange(1, k_max + 1)
    try:
        from evalplus.eval import estimate_pass_at_k
    except ImportError as error:
        print(f"left out: {error}")
        return
    rival = cpu(lambda: [estimate_pass_at_k(n, c[:part], k) for k in ks], 1) * tasks / part
    matrix = cpu(lambda: stats.pass_at_k(np.full((tasks, 1), n), c[:, None], ks))
    curve = cpu(lambda: stats.pass_at_k_curve(np.full(tasks, n), c, k_max))
    what = "pass@k, 10,000 tasks × 200, k = 1…128"
    yield f"{what}: the matrix", matrix, rival, f"evalplus.eval.estimate_pass_at_k, {part} tasks scaled up", 300
    yield f"{what}: the curve", curve, rival, f"evalplus.eval.estimate_pass_at_k, {part} tasks scaled up", 300


def bootstrap_rows(rng):
    for tasks, wanted in ((500, 20), (10_000, 200)):
        values = counts(rng, tasks, 32) / 32
        for method in ("percentile", "bca"):
            ours = cpu(lambda v=values, m=method: stats.bootstrap_ci(v, method=m))
            rival = cpu(
                lambda v=values, m=method: scipy_stats.bootstrap(
                    (v,), np.mean, n_resamples=RESAMPLES, method=m, batch=100, rng=np.random.default_rng(0)
                ),
                1,
            )
            yield f"bootstrap of a mean, {method}, {tasks:,} tasks", ours, rival, "scipy.stats.bootstrap", wanted


def paired_rows(rng):
    p = rng.beta(0.4, 0.3, 500)
    a, b = rng.binomial(32, p), rng.binomial(32, np.clip(p + 0.01, 0, 1))
    d = (b - a) / 32
    ours = cpu(lambda: stats.paired_difference(a, 32, b, 32))
    what = "paired difference, 500 tasks × 32, interval and sign-flip p"
    rivals = {
        "scipy.stats.permutation_test (p only)": lambda: scipy_stats.permutation_test(
            (d,), np.mean, permutation_type="samples", n_resamples=RESAMPLES, rng=np.random.default_rng(0)
        ),
        "arch IIDBootstrap (interval only)": lambda: IIDBootstrap(d, seed=0).conf_int(
            np.mean, RESAMPLES, method="percentile"
        ),
    }
    try:
        from evalstats import pairwise_differences
    except ImportError as error:
        print(f"left out: {error}")
    else:
        scores = np.array([a, b]) / 32
        rivals["evalstats pairwise_differences (bootstrap)"] = lambda: pairwise_differences(
            scores, 0, 1, method="bootstrap", n_bootstrap=RESAMPLES, rng=np.random.default_rng(0)
        )
    for name, job in rivals.items():
        yield what, ours, cpu(job, 2), name, 100


def simulation_rows(rng):
    evaluations, part = 20_000, 200
    c = rng.binomial(32, rng.beta(0.4, 0.3, (evaluations, 10)))
    rates = c / 32
    ours = cpu(lambda: stats.pass_rate_interval(c, 32), 3)
    what = "20,000 evaluations of 10 tasks × 32, an interval each"

    def student():
        for row in rates[:part]:
            scipy_stats.t.interval(0.95, 9, row.mean(), scipy_stats.sem(row))

    def resampled():
        for row in rates[:20]:
            scipy_stats.bootstrap((row,), np.mean, n_resamples=RESAMPLES, method="percentile")

    yield what, ours, cpu(student, 3) * evaluations / part, f"scipy.stats.t.interval in a loop, {part} scaled up", 50
    yield what, ours, cpu(resampled, 1) * evaluations / 20, "scipy.stats.bootstrap in a loop, 20 scaled up", 50


def wilson_rows(rng):
    c = rng.binomial(40, 0.3, 1_000_000)
    n = np.full(1_000_000, 40)
    ours = cpu(lambda: stats.wilson_interval(c, n))
    rival = cpu(lambda: proportion_confint(c, n, method="wilson"))
    yield "Wilson intervals of 1,000,000 counts", ours, rival, "statsmodels proportion_confint", 1


def growth(console, rng):
    table = Table("tasks × 8", "pass rate", "pass@4", "bootstrap", "paired", title="CPU milliseconds as tasks grow")
    for tasks in (10**2, 10**3, 10**4, 10**5, 10**6):
        a, b = counts(rng, tasks, 8), counts(rng, tasks, 8)
        jobs = (
            lambda a=a: stats.pass_rate_interval(a, 8),
            lambda a=a: stats.pass_at_k_interval(a, 8, 4),
            lambda a=a: stats.bootstrap_ci(a / 8),
            lambda a=a, b=b: stats.paired_difference(a, 8, b, 8),
        )
        table.add_row(f"{tasks:,}", *(f"{1000 * cpu(job, 3):,.2f}" for job in jobs))
    console.print(table)
    tracemalloc.start()
    for job in jobs:
        job()
    console.print(f"peak memory of the last row: {tracemalloc.get_traced_memory()[1] / 2**20:,.0f} MiB")


def main():
    rng = np.random.default_rng(0)
    console = Console(width=160)
    stats.pass_rate_interval([1, 2], 3)  # imports scipy.special before anything is timed
    table = Table("job", "here", "there", "ratio", "wanted", "against", title="CPU time, one thread, one process")
    missed = []
    for rows in (pass_at_k_rows, bootstrap_rows, paired_rows, simulation_rows, wilson_rows):
        for what, ours, rival, name, wanted in rows(rng):
            ratio = rival / ours
            table.add_row(
                what, f"{1000 * ours:,.2f} ms", f"{1000 * rival:,.1f} ms", f"{ratio:,.1f}×", f"{wanted}×", name
            )
            if ratio < wanted:
                missed.append(what)
    console.print(table)
    growth(console, rng)
    for what in missed:
        console.print(f"below the ratio wanted: {what}")


if __name__ == "__main__":
    with rivals_at_hand():
        main()
