"""Choose a checkpoint on validation tasks, report it on test tasks, and measure what choosing on test would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import task_counts, whole_numbers
from passband.stats.pass_rate import pass_rate_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, Estimate, FloatArray, IntArray

__all__ = ["CheckpointChoice", "select_checkpoint"]


@dataclass(frozen=True, slots=True)
class CheckpointChoice:
    """The checkpoint that validation chose, its test score, and how far choosing on test would have misled.

    Attributes
    ----------
    chosen : int
        Index of the checkpoint with the best validation rate; of equal ones the first.
    validation : float
        Its validation rate. It was chosen for being high: not for quoting.
    test : Estimate
        Its test rate, which no choice has touched, with its interval.
    tied : tuple of int
        All checkpoints with that validation rate.
    best_on_test : int
        What choosing on test would have picked.
    best_test : float
        The rate it would have reported.
    inflation : float or None
        Mean over repeated splits of the test data: the rate of the pick on the part that picked it, less its rate on
        the rest. None where the test data can't be split.
    split_size : int
        Tasks (tasks like these), or samples a task at most (these tasks), in the part that picks. `inflation` is that
        of an evaluation so small; the whole test set's is smaller, by about the root of the ratio.
    picks : ndarray of int, shape (checkpoints,)
        How often each checkpoint was picked. Where they are spread out, their order is noise.
    n_checkpoints, n_splits : int
        How many were compared, and how many splits were made.
    warnings : tuple of str
        What a reader must know before quoting the numbers.
    """

    chosen: int
    validation: float
    test: Estimate
    tied: tuple[int, ...]
    best_on_test: int
    best_test: float
    inflation: float | None
    split_size: int
    picks: IntArray
    n_checkpoints: int
    n_splits: int
    warnings: tuple[str, ...] = ()


def select_checkpoint(
    validation: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    *,
    estimand: Estimand = "tasks-like-these",
    level: float = 0.95,
    parts: int = 2,
    splits: int = 1000,
    seed: int = 0,
) -> CheckpointChoice:
    """Choose by validation, report test once, and estimate the inflation that choosing on test would have brought.

    Parameters
    ----------
    validation, test : tuple of array_like
        Successes and samples ``(c, n)``, each of shape (checkpoints, tasks); `n` may broadcast. The tasks of the two
        are different ones.
    estimand : {"tasks-like-these", "these-tasks"}
        What the test interval is about; and what is split: tasks, or the samples of every task.
    level : float
        Nominal coverage of the test interval.
    parts : int
        The part that picks is one of so many; with 10 and "these-tasks", an evaluation of a tenth of the samples picks
        and the other nine score, as in a tenfold repeated evaluation.
    splits : int
        Random splits to average over.
    seed : int
        Of the splits.

    Returns
    -------
    CheckpointChoice
        The choice, its unbiased test estimate and the inflation.

    Raises
    ------
    InvalidInputError
        Where validation and test hold different numbers of checkpoints, or counts make no sense.

    Notes
    -----
    A split of c passes of n samples into parts has a hypergeometric number of passes in each, so counts suffice. The
    winner's curse is a statement about the procedure, hence the average over splits.

    Examples
    --------
    >>> validation = ([[20, 9, 30], [25, 12, 31]], 32)
    >>> test = ([[22, 3, 29], [24, 2, 30]], 32)
    >>> choice = select_checkpoint(validation, test)
    >>> choice.chosen, round(choice.test.value, 3)
    (1, 0.583)
    """
    c_valid, n_valid = _checkpoints(validation, "validation")
    c_test, n_test = _checkpoints(test, "test")
    if len(c_valid) != len(c_test):
        raise InvalidInputError(
            f"{len(c_valid)} checkpoints in validation and {len(c_test)} in test", where="validation and test"
        )
    parts_whole = int(whole_numbers(parts, "parts", minimum=2))
    n_splits = int(whole_numbers(splits, "splits", minimum=1))
    valid_rates = (c_valid / n_valid).mean(axis=-1)
    test_rates = (c_test / n_test).mean(axis=-1)
    chosen = int(valid_rates.argmax())
    tied = tuple(int(i) for i in np.flatnonzero(valid_rates == valid_rates[chosen]))
    estimate = pass_rate_interval(c_test[chosen], n_test[chosen], estimand, level=level)
    generator = np.random.default_rng(seed)
    split = _split_tasks if estimand == "tasks-like-these" else _split_samples
    size = c_test.shape[-1] // parts_whole if split is _split_tasks else int(n_test.max()) // parts_whole
    warnings = list(estimate.warnings)
    if len(tied) > 1:
        warnings.append(f"{len(tied)} checkpoints share the best validation rate: the first was taken")
    inflation, picks = None, np.zeros(len(c_test), dtype=np.int64)
    if size < 1 or (split is _split_samples and int(n_test.min()) < parts_whole):
        warnings.append(f"the test data can't be split into {parts_whole} parts: no estimate of the inflation")
    else:
        picking, scoring = split(c_test, n_test, parts_whole, n_splits, generator)
        picked = picking.argmax(axis=-1)
        rows = np.arange(n_splits)
        inflation = float((picking[rows, picked] - scoring[rows, picked]).mean())
        picks = np.bincount(picked, minlength=len(c_test))
    return CheckpointChoice(
        chosen=chosen,
        validation=float(valid_rates[chosen]),
        test=estimate,
        tied=tied,
        best_on_test=int(test_rates.argmax()),
        best_test=float(test_rates.max()),
        inflation=inflation,
        split_size=size,
        picks=picks,
        n_checkpoints=len(c_test),
        n_splits=n_splits if inflation is not None else 0,
        warnings=tuple(warnings),
    )


def _checkpoints(counts: tuple[ArrayLike, ArrayLike], name: str) -> tuple[IntArray, IntArray]:
    try:
        c, n = counts
    except (TypeError, ValueError):
        raise InvalidInputError("a pair (c, n) is wanted", where=name) from None
    c_all, n_all = task_counts(c, n)
    if c_all.ndim != 2 or len(c_all) == 0:
        raise InvalidInputError(f"(checkpoints, tasks) are wanted, not shape {c_all.shape}", where=name)
    return c_all, n_all


def _split_tasks(
    c: IntArray, n: IntArray, parts: int, splits: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Rates of every checkpoint on a random part of the tasks and on the rest, for each split."""
    rates = c / n
    tasks = rates.shape[-1]
    size = tasks // parts
    order = generator.permuted(np.tile(np.arange(tasks), (splits, 1)), axis=1)
    picks = np.zeros((splits, tasks))
    np.put_along_axis(picks, order[:, :size], 1.0, axis=1)
    inside = picks @ rates.T
    return inside / size, (rates.sum(axis=-1) - inside) / (tasks - size)


def _split_samples(
    c: IntArray, n: IntArray, parts: int, splits: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Rates of every checkpoint on a random part of each task's samples and on the rest, for each split."""
    size = n // parts
    picking = np.empty((splits, len(c)))
    scoring = np.empty((splits, len(c)))
    for i in range(splits):
        inside = generator.hypergeometric(c, n - c, size)
        picking[i] = (inside / size).mean(axis=-1)
        scoring[i] = ((c - inside) / (n - size)).mean(axis=-1)
    return picking, scoring
