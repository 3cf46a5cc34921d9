r"""What the paired interval itself finds: power, tasks and detectable difference with its imagined sample.

The interval of :func:`passband.stats.paired_difference` adds an imagined sample, which widens it where tasks are few.
Plain power analysis leaves that out and promises too much there: of six tasks of four samples it says 80% where the
interval finds a fifth. With :math:`n` tasks, doubt :math:`w`, spread :math:`\sigma` of a task's difference and true
difference :math:`\delta`, the centre of the interval has mean :math:`n\delta / (n + w)` and standard deviation
:math:`\sqrt{n}\sigma / (n + w)`, its squared error the mean
:math:`((n-1)\sigma^2 + w + \delta^2 n w / (n + w)) / ((n + w - 1)(n + w))`; their ratio is taken to be noncentral t.
"""

from __future__ import annotations

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._quantile import upper_quantile

__all__ = ["paired_detectable", "paired_power", "paired_tasks"]

_MOST_TASKS = 10**9
_EXACT = 1e-10
_CERTAIN = 20.0


def paired_power(effect: float, sd: float, tasks: float, *, doubt: float, alpha: float = 0.05) -> float:
    """Return the chance that the paired interval leaves out zero, on the side of the true difference.

    Parameters
    ----------
    effect : float
        True difference of means, as a fraction in (0, 1].
    sd : float
        Spread of a task's difference, sampling included; positive.
    tasks : float
        Number of tasks, two or more.
    doubt : float
        What one sample weighs in a task's rate, 1/n for n samples each; 1 where every task's samples agree.
    alpha : float
        1 less the level of the interval.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        Where an argument lies outside its range.

    Examples
    --------
    >>> round(paired_power(0.2, 0.19, 8, doubt=1 / 8), 2) < 0.8
    True
    """
    _check(effect, sd, doubt, alpha)
    if not tasks >= 2:
        raise InvalidInputError(f"{tasks} tasks show no spread", where="tasks")
    from scipy.special import nctdtr

    weight, df = tasks + doubt, tasks + doubt - 1
    squares = (tasks - 1) * sd**2 + doubt + effect**2 * tasks * doubt / weight
    error = np.sqrt(squares / (df * weight))
    moves = np.sqrt(tasks) * sd / weight  # standard deviation of the centre: less than `error`, which has the doubt too
    reach = float(upper_quantile(alpha / 2, df)) * error
    shift = tasks * effect / weight / moves
    if shift > _CERTAIN * max(reach / moves, 1.0):  # where the law has no digits left
        return 1.0
    return float(nctdtr(df, -shift, -reach / moves))


def paired_detectable(
    tasks: float, sd: float, *, doubt: float, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the least difference that the paired interval finds with probability `power`, or None where none does.

    Parameters
    ----------
    tasks, sd, doubt, alpha
        As for :func:`paired_power`.
    power : float
        Wanted chance, above `alpha`.

    Raises
    ------
    InvalidInputError
        Where an argument lies outside its range.
    """
    _check_power(power, alpha)
    if paired_power(1.0, sd, tasks, doubt=doubt, alpha=alpha) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > _EXACT:
        middle = (low + high) / 2
        found = paired_power(middle, sd, tasks, doubt=doubt, alpha=alpha) >= power
        low, high = (low, middle) if found else (middle, high)
    return high


def paired_tasks(effect: float, sd: float, *, doubt: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the tasks of which the paired interval finds `effect` with probability `power`.

    Parameters
    ----------
    effect, sd, doubt, alpha
        As for :func:`paired_power`.
    power : float
        Wanted chance, above `alpha`.

    Raises
    ------
    InvalidInputError
        Where an argument lies outside its range, or more than a thousand million tasks would be needed.
    """
    _check_power(power, alpha)

    def enough(tasks: int) -> bool:
        return paired_power(effect, sd, tasks, doubt=doubt, alpha=alpha) >= power

    most = 2
    while not enough(most):
        if most >= _MOST_TASKS:
            raise InvalidInputError(f"more than {_MOST_TASKS:,} tasks would be needed", where="effect")
        most *= 2
    least = max(2, most // 2)  # where it does not hold, but for two
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most


def _check(effect: float, sd: float, doubt: float, alpha: float) -> None:
    for name, value, good in (
        ("effect", effect, 0 < effect <= 1),
        ("sd", sd, sd > 0),
        ("doubt", doubt, 0 < doubt <= 1),
        ("alpha", alpha, 0 < alpha < 1),
    ):
        if not good:
            raise InvalidInputError(f"{value} is out of range", where=name)


def _check_power(power: float, alpha: float) -> None:
    if not alpha < power < 1:
        raise InvalidInputError(f"{power} is not between alpha and 1", where="power")
