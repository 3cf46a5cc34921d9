import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import (
    design_effect,
    effective_sample_size,
    intra_task_correlation,
    standard_error,
    variance_components,
)


def anova_by_hand(c, n):
    """One-way analysis of variance on the samples themselves, one row each."""
    groups = [np.r_[np.ones(ci), np.zeros(ni - ci)] for ci, ni in zip(c, n, strict=True)]
    everything = np.concatenate(groups)
    between = sum(len(g) * (g.mean() - everything.mean()) ** 2 for g in groups) / (len(groups) - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(everything) - len(groups))
    sizes = np.array([len(g) for g in groups])
    n0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)
    return (between - within) / (between + (n0 - 1) * within)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(2, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=9))
def test_correlation_is_the_analysis_of_variance(tasks):
    """For unequal n, the correlation from counts is that of the samples written out."""
    c, n = np.array(tasks).T
    if 0 < c.sum() < n.sum():
        assert intra_task_correlation(c, n) == pytest.approx(anova_by_hand(c, n), abs=1e-12)
    else:
        assert intra_task_correlation(c, n) == 0.0


def test_correlation_matches_statsmodels_mean_squares():
    """Mean squares are those of a one-way OLS on the samples."""
    import pandas as pd
    import statsmodels.api as sm
    from statsmodels.formula.api import ols

    c, n = np.array([1, 4, 7, 8, 2]), 8
    frame = pd.DataFrame(
        [(task, int(s < ci)) for task, ci in enumerate(c) for s in range(n)], columns=["task", "passed"]
    )
    table = sm.stats.anova_lm(ols("passed ~ C(task)", frame).fit())
    between, within = table["mean_sq"]
    assert intra_task_correlation(c, n) == pytest.approx((between - within) / (between + (n - 1) * within))


def test_correlation_is_not_truncated():
    """Tasks more alike than chance have a negative correlation, which shows; the design effect stays at 1."""
    assert intra_task_correlation([4, 4, 4, 4], 8) == pytest.approx(-1 / 7)
    assert design_effect([4, 4, 4, 4], 8) == 1.0


def test_copies_are_worth_one_sample_a_task():
    """All samples of a task equal: correlation 1, design effect n, and as many effective samples as tasks."""
    c, n = [8, 0, 8, 0], 8
    assert intra_task_correlation(c, n) == 1.0
    assert design_effect(c, n) == 8.0
    assert effective_sample_size(c, n) == 4.0


def test_one_sample_a_task_has_no_correlation_and_no_design_effect():
    """With n = 1 throughout the correlation cannot be told, and the design effect is 1."""
    with pytest.raises(InvalidInputError, match="one sample a task"):
        intra_task_correlation([0, 1, 1], 1)
    assert design_effect([0, 1, 1], 1) == 1.0
    assert effective_sample_size([0, 1, 1], 1) == 3.0


def test_design_effect_with_unequal_n_weighs_by_samples():
    """1 + (sum n² / sum n - 1) rho."""
    c, n = np.array([3, 0, 10, 2]), np.array([4, 2, 10, 8])
    rho = intra_task_correlation(c, n)
    assert design_effect(c, n) == pytest.approx(1 + ((n**2).sum() / n.sum() - 1) * rho)


def test_components_are_unbiased():
    """Averaged over 40,000 evaluations with unequal n, both components are the population's."""
    rng = np.random.default_rng(1)
    n = np.array([2, 3, 5, 8, 8, 16])
    p = rng.beta(0.4, 0.3, (40_000, 6))
    found = variance_components(rng.binomial(n, p), n)
    mean, total = 4 / 7, 0.4 * 0.3 / (0.7**2 * 1.7)
    assert found.between.mean() == pytest.approx(total, abs=0.003)
    assert found.within.mean() == pytest.approx(mean * (1 - mean) - total, abs=0.002)


def test_standard_error_is_that_of_task_means_or_within_tasks():
    """Tasks like these: sd of rates over sqrt(N). These tasks: sqrt(sum p(1-p)/(n-1)) / N."""
    c, n = np.array([1, 4, 7, 8, 2]), 8
    rates = c / n
    assert standard_error(c, n) == pytest.approx(rates.std(ddof=1) / np.sqrt(5))
    assert standard_error(c, n, "these-tasks") == pytest.approx(np.sqrt((rates * (1 - rates) / 7).sum()) / 5)


def test_the_half_sample_story():
    """3 of 10 and 30 of 100 single samples have s/sqrt(N) = 0.1528 and 0.0461; one sample has none, not 0."""
    assert standard_error([1] * 3 + [0] * 7, 1) == pytest.approx(0.1528, abs=5e-5)
    assert standard_error([1] * 30 + [0] * 70, 1) == pytest.approx(0.0461, abs=5e-5)
    with pytest.raises(InvalidInputError, match="one task"):
        standard_error([1], [1])


def test_batches_are_rows():
    """Leading axes are evaluations: each row gives what it gives alone."""
    rng = np.random.default_rng(2)
    c = rng.binomial(8, rng.beta(0.5, 0.5, (4, 6)))
    for function in (intra_task_correlation, design_effect, effective_sample_size, standard_error):
        assert function(c, 8) == pytest.approx([function(row, 8) for row in c])


def test_what_cannot_be_told_is_refused():
    """One task, single samples and an estimand of recipes raise."""
    with pytest.raises(InvalidInputError, match="one task"):
        variance_components([3], [8])
    with pytest.raises(InvalidInputError, match="one sample"):
        variance_components([1, 0], [1, 4])
    with pytest.raises(InvalidInputError, match="one sample"):
        standard_error([1, 0], [1, 4], "these-tasks")
    with pytest.raises(InvalidInputError, match="'recipe'"):
        standard_error([1, 0], [1, 4], "recipe")
    with pytest.raises(InvalidInputError, match="there is no task"):
        design_effect([], [])
