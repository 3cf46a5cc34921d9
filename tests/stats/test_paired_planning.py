"""Power of the paired interval, beside the plain t-test and beside what the interval does."""

from __future__ import annotations

import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import paired_detectable, paired_difference, paired_power, paired_tasks, power_of


def simulated(tasks: int, samples: int, shift: float, runs: int) -> tuple[float, float, float]:
    """True difference, spread of a task's difference, and how often the interval leaves zero out on its side."""
    generator = np.random.default_rng(tasks * 100 + samples)
    one = generator.beta(1.2, 1.0, (runs, tasks))
    two = np.clip(one + shift + generator.normal(0, 0.1, (runs, tasks)), 0, 1)
    a, b = generator.binomial(samples, one), generator.binomial(samples, two)
    found = paired_difference(a, samples, b, samples).estimate
    return float((two - one).mean()), float(((b - a) / samples).std()), float(np.mean(np.asarray(found.low) > 0))


@pytest.mark.parametrize(
    ("tasks", "samples", "shift"), [(8, 8, 0.3), (12, 8, 0.25), (20, 4, 0.2), (35, 8, 0.1), (60, 1, 0.3)]
)
def test_the_interval_finds_what_is_promised(tasks, samples, shift):
    """The share of intervals that leave zero out is the power of the formula, to four points."""
    effect, sd, share = simulated(tasks, samples, shift, 4000)
    assert 0.4 < share < 0.99
    assert paired_power(effect, sd, tasks, doubt=1 / samples) == pytest.approx(share, abs=0.04)


def test_few_tasks_find_less_than_the_plain_test_says():
    """The imagined sample costs power where tasks are few, and nothing where they are many."""
    assert paired_power(0.2, 0.2, 6, doubt=1 / 4) < power_of(6, 0.2, 0.2, method="t") - 0.1
    assert paired_power(0.02, 0.2, 1000, doubt=1 / 4) == pytest.approx(power_of(1000, 0.02, 0.2, method="t"), abs=0.01)


@pytest.mark.parametrize("tasks", [5, 12, 40, 700])
def test_detectable_difference_and_number_of_tasks_invert_the_power(tasks):
    """The least difference has just the wanted power, one a little smaller has less; so it is for tasks."""
    least = paired_detectable(tasks, 0.15, doubt=0.1, power=0.8)
    assert least is not None
    assert paired_power(least, 0.15, tasks, doubt=0.1) == pytest.approx(0.8, abs=1e-6)
    needed = paired_tasks(least, 0.15, doubt=0.1, power=0.8)
    assert needed in {tasks, tasks + 1}
    assert paired_power(least, 0.15, needed, doubt=0.1) >= 0.8 - 1e-6
    assert paired_power(least, 0.15, needed - 1, doubt=0.1) < 0.8


def test_some_tasks_find_nothing():
    """Two tasks of one sample find no difference at all, and a spread of nothing leaves the doubt."""
    assert paired_detectable(2, 0.5, doubt=1.0) is None
    assert paired_tasks(0.5, 1e-6, doubt=1.0) > 2


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"effect": 0.0}, "effect"),
        ({"effect": 1.5}, "effect"),
        ({"sd": 0.0}, "sd"),
        ({"tasks": 1}, "tasks"),
        ({"doubt": 0.0}, "doubt"),
        ({"alpha": 1.0}, "alpha"),
    ],
)
def test_arguments_out_of_range_are_named(change, where):
    """Each is an error that says which it was."""
    with pytest.raises(InvalidInputError, match=where):
        paired_power(**{"effect": 0.1, "sd": 0.2, "tasks": 10, "doubt": 0.1, **change})
    with pytest.raises(InvalidInputError, match="power"):
        paired_detectable(10, 0.2, doubt=0.1, power=0.01)
