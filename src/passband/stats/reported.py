"""A difference of two pass rates as somebody reports it: rates and sizes, and nothing of single tasks.

Model: one sample of an arm on a task passes with a variance of v = p (1 - p) over tasks and samples. Two samples of one
arm on one task correlate by the intra-task correlation; one sample of each arm on one task correlate by `correlation`.
Then the mean of n samples of a task has the variance v (icc + (1 - icc) / n), and the difference of two such means on
one task has ``variance a + variance b - 2 correlation sqrt(v_a v_b)``. Unpaired, the last term is nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate

__all__ = ["ReportedDifference", "hiding_training_sd", "largest_correlation", "reported_difference", "task_variance"]


@dataclass(frozen=True, slots=True)
class ReportedDifference:
    """Rate b less rate a, as reported.

    Attributes
    ----------
    estimate : Estimate
        The difference with its interval, of tasks like these.
    standard_error : float
        Of the difference.
    p_value : float
        Two-sided p of no difference, below 1 - level exactly where the interval leaves 0 out.
    """

    estimate: Estimate
    standard_error: float
    p_value: float


def task_variance(rate: float, tasks: int, samples: int = 1, icc: float = 1.0) -> float:
    """Variance over tasks of the mean of `samples` samples of a task.

    Parameters
    ----------
    rate : float
        The reported rate, a fraction. It is taken no nearer to 0 or 1 than half a success: a rate of 0 from few
        samples does not mean no variance.
    tasks, samples : int
        Size of the evaluation.
    icc : float
        Correlation between two samples of one task. 1, the most it can be, lets more samples buy nothing.

    Raises
    ------
    InvalidInputError
        For what is no rate, size or correlation.

    Examples
    --------
    >>> round(task_variance(0.41, 500), 4), round(task_variance(0.41, 500, samples=4, icc=0.6), 4)
    (0.2419, 0.1693)
    """
    for name, value in (("rate", rate), ("icc", icc)):
        if not 0 <= value <= 1:
            raise InvalidInputError(f"{value} is not from 0 to 1", where=name)
    for name, size in (("tasks", tasks), ("samples", samples)):
        if size < 1:
            raise InvalidInputError(f"{size} is below 1", where=name)
    least = 0.5 / (tasks * samples)
    p = min(max(rate, least), 1 - least)
    return p * (1 - p) * (icc + (1 - icc) / samples)


def reported_difference(
    a: float,
    b: float,
    tasks: int,
    *,
    samples: int = 1,
    correlation: float = 0.0,
    icc: float = 1.0,
    level: float = 0.95,
) -> ReportedDifference:
    """Give a reported difference the interval that its report left out.

    Parameters
    ----------
    a, b : float
        Rates of the baseline and of the candidate, fractions.
    tasks, samples : int
        Tasks, the same or as many in both arms, and samples of each.
    correlation : float
        Between one sample of each arm on one task; 0 for an unpaired analysis.
    icc : float
        Between two samples of one arm on one task; matters only with more than one sample.
    level : float
        Nominal coverage.

    Returns
    -------
    ReportedDifference
        Student's t at tasks - 1 degrees of freedom.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks, or a correlation that two such rates can't have.

    Notes
    -----
    Miller (2024), "Adding error bars to evals", section 4: the variance of a paired difference.

    Examples
    --------
    >>> found = reported_difference(0.410, 0.434, 500)  # sqrt((0.41 × 0.59 + 0.434 × 0.566) / 500)
    >>> round(found.standard_error, 4), round(found.p_value, 2)
    (0.0312, 0.44)
    >>> round(reported_difference(0.410, 0.434, 500, correlation=0.7).standard_error, 4)
    0.0171
    """
    check_level(level)
    if tasks < 2:
        raise InvalidInputError("one task tells nothing of tasks like it", where="tasks")
    most = largest_correlation(a, b, tasks, icc=icc)
    if not -1 <= correlation <= most + 1e-12:
        raise InvalidInputError(f"{correlation} is more than these rates allow, {most:.3f}", where="correlation")
    from scipy.special import stdtr

    singles = task_variance(a, tasks), task_variance(b, tasks)
    arms = task_variance(a, tasks, samples, icc) + task_variance(b, tasks, samples, icc)
    error = sqrt(max(arms - 2 * correlation * sqrt(singles[0] * singles[1]), 0.0) / tasks)
    value = b - a
    reach = t_quantile((1 + level) / 2, tasks - 1) * error
    return ReportedDifference(
        estimate=Estimate(
            value=value,
            low=max(value - reach, -1.0),
            high=min(value + reach, 1.0),
            level=level,
            method="t of reported rates",
            estimand="tasks-like-these",
            n_tasks=tasks,
            n_samples=2 * tasks * samples,
        ),
        standard_error=error,
        p_value=float(2 * stdtr(tasks - 1, -abs(value) / error)) if error > 0 else float(value == 0),
    )


def largest_correlation(a: float, b: float, tasks: int, *, icc: float = 1.0) -> float:
    """Return the most that one sample of each arm can correlate: the rates bound it, and so does the icc.

    Two 0/1 variables of rates p <= q agree most where every pass of the first is one of the second, which gives
    sqrt(p (1 - q) / (q (1 - p))); and what the arms share, each shares with itself.

    Examples
    --------
    >>> round(largest_correlation(0.410, 0.434, 500), 3)
    0.952
    """
    least = 0.5 / tasks
    p, q = sorted(min(max(rate, least), 1 - least) for rate in (a, b))
    return min(sqrt(p * (1 - q) / (q * (1 - p))), icc)


def hiding_training_sd(effect: float, runs: int, evaluation_variance: float, *, level: float = 0.95) -> float | None:
    """Return the spread between training runs above which a difference of two recipes is not shown.

    Parameters
    ----------
    effect : float
        Mean rate of the runs of one recipe less that of the other.
    runs : int
        Runs of each, at least 2.
    evaluation_variance : float
        Of one run's rate, from its samples alone.
    level : float
        Nominal coverage of the interval, Student's t over runs at 2 runs - 2 degrees of freedom.

    Returns
    -------
    float or None
        Standard deviation of the runs' true rates; None where the evaluation alone hides the difference.

    Raises
    ------
    InvalidInputError
        With fewer than two runs of each.

    Examples
    --------
    >>> round(hiding_training_sd(0.024, 5, 0.0001), 4)  # t = 2.306 at 8: 5 × (0.024 / 2.306)² / 2 - 0.0001
    0.0131
    """
    check_level(level)
    if runs < 2:
        raise InvalidInputError("one run shows no spread between runs", where="runs")
    room = runs * (effect / t_quantile((1 + level) / 2, 2 * runs - 2)) ** 2 / 2 - evaluation_variance
    return sqrt(room) if room >= 0 else None
