import itertools

import numpy as np
import pytest

from passband.stats import (
    beta_binomial_mle,
    bradley_terry,
    hierarchical_beta_binomial,
    pass_at_k_curve,
    pass_rate_interval,
    selection_interval,
)

from .outcomes import arrays, counts

EVALPERF = counts("evalperf_pass_n100.csv")
TAU = counts("tau_bench_airline_gpt4o.csv")
SYSTEMS = [*list(EVALPERF.items())[:6], *TAU.items()]


@pytest.mark.parametrize("tasks", [tasks for _, tasks in SYSTEMS], ids=[system for (_, system), _ in SYSTEMS])
def test_model_and_moments_tell_the_same_story(tasks):
    """On real outcomes the model's mean is near the mean of task rates, and its pass@k near the unbiased estimate."""
    c, n = arrays(tasks)
    fit, posterior = beta_binomial_mle(c, n), hierarchical_beta_binomial(c, n, k=(2, 4))
    mean = (c / n).mean()
    assert fit.mean == pytest.approx(mean, abs=0.03)
    assert posterior.mean.low < mean < posterior.mean.high
    assert posterior.task_means.mean() == pytest.approx(mean, abs=0.02)
    curve = pass_at_k_curve(n, c, 4)
    for k in (2, 4):
        assert posterior.pass_at_k[k].low < curve[k - 1] < posterior.pass_at_k[k].high


@pytest.mark.parametrize("systems", [EVALPERF] if EVALPERF else [], ids=["evalperf"])
def test_the_best_of_34_systems(systems):
    """The best system's interval is the default one, let down at its lower end for 34 having been compared."""
    shared = sorted(set.intersection(*(set(tasks) for tasks in systems.values())))
    c, n = (np.array([[tasks[t][i] for t in shared] for tasks in systems.values()]) for i in (0, 1))
    found = selection_interval(c, n)
    plain = pass_rate_interval(c[found.chosen], n[found.chosen])
    assert found.unadjusted == plain
    assert found.estimate.low < plain.low < found.estimate.value < plain.high
    assert found.contenders.sum() < len(c)


@pytest.mark.parametrize("systems", [EVALPERF] if EVALPERF else [], ids=["evalperf"])
def test_strengths_follow_pass_rates(systems):
    """Bradley-Terry strengths from comparing task rates pairwise rank real systems nearly as their pass rates do."""
    chosen = dict(itertools.islice(systems.items(), 8))
    shared = sorted(set.intersection(*(set(tasks) for tasks in chosen.values())))
    rates = np.array([[tasks[t][0] / tasks[t][1] for tasks in chosen.values()] for t in shared])
    ahead = (np.sign(rates[:, :, None] - rates[:, None, :]) + 1) / 2
    ahead[:, range(8), range(8)] = 0
    strength = bradley_terry(ahead).strength
    assert np.corrcoef(strength, rates.mean(axis=0))[0, 1] > 0.9
