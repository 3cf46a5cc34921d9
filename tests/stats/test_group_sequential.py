import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from passband.errors import InvalidInputError
from passband.stats import group_sequential_bounds

# Jennison and Turnbull (2000), Tables 2.1 (Pocock) and 2.3 (O'Brien and Fleming), two-sided
POCOCK = {
    0.05: {1: 1.960, 2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 6: 2.453, 7: 2.485, 8: 2.512, 9: 2.535, 10: 2.555},
    0.01: {1: 2.576, 2: 2.772, 3: 2.873, 4: 2.939, 5: 2.986, 10: 3.117},
}
OBRIEN_FLEMING = {
    0.05: {1: 1.960, 2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 6: 2.053, 7: 2.063, 8: 2.072, 9: 2.080, 10: 2.087},
    0.01: {1: 2.576, 2: 2.580, 3: 2.595, 4: 2.609, 5: 2.621, 10: 2.660},
}


@pytest.mark.parametrize(("kind", "table"), [("pocock", POCOCK), ("obrien-fleming", OBRIEN_FLEMING)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_published_constants(kind, table, alpha):
    """All digits of the tables of Jennison and Turnbull."""
    for looks, constant in table[alpha].items():
        assert group_sequential_bounds(looks, alpha, kind).constant == pytest.approx(constant, abs=5.01e-4)


@pytest.mark.parametrize("kind", ["pocock", "obrien-fleming"])
def test_two_looks_are_a_bivariate_normal_probability(kind):
    """The size at two unequal looks agrees with scipy's bivariate normal."""
    found = group_sequential_bounds(2, kind=kind, information=[0.3, 1.0])
    a, b = found.z
    rho = np.sqrt(0.3)
    law = multivariate_normal(cov=[[1, rho], [rho, 1]])
    inside = law.cdf([a, b], lower_limit=[-a, -b])
    assert 1 - inside == pytest.approx(0.05, abs=1e-6)
    np.testing.assert_allclose(found.nominal_p, 2 * norm.sf(found.z))


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.floats(0.05, 1.0), min_size=1, max_size=8),
    st.sampled_from([0.001, 0.05, 0.3]),
    st.sampled_from(["pocock", "obrien-fleming"]),
)
def test_size_is_spent_step_by_step(steps, alpha, kind):
    """Whatever the shares, the size spent grows to alpha and the bounds keep their shape."""
    shares = np.cumsum(steps) / np.sum(steps)
    found = group_sequential_bounds(len(steps), alpha, kind, information=shares)
    assert found.spent[-1] == pytest.approx(alpha, abs=1e-9)
    assert (np.diff(found.spent) > -1e-12).all()
    assert found.spent[0] == pytest.approx(found.nominal_p[0], rel=1e-6, abs=1e-15)
    shape = np.ones(len(steps)) if kind == "pocock" else 1 / np.sqrt(shares)
    np.testing.assert_allclose(found.z, found.constant * shape)


def test_weekly_looks_for_a_year():
    """Fifty-two looks are computed at once; the last bound of O'Brien and Fleming is still close to 1.96."""
    found = group_sequential_bounds(52)
    assert 2.087 < found.z[-1] < 2.25
    assert found.nominal_p[0] < 1e-40


@pytest.mark.parametrize(
    "call",
    [
        lambda: group_sequential_bounds(0),
        lambda: group_sequential_bounds(3, 0.0),
        lambda: group_sequential_bounds(3, kind="haybittle"),
        lambda: group_sequential_bounds(3, information=[0.5, 1.0]),
        lambda: group_sequential_bounds(3, information=[0.5, 0.4, 1.0]),
        lambda: group_sequential_bounds(2, information=[0.5, 0.9]),
        lambda: group_sequential_bounds(2, information=[0.0, 1.0]),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """No looks, no size, unknown kinds and shares that do not grow to 1 are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pocock", "obrien-fleming"])
@pytest.mark.parametrize("looks", [2, 5, 10])
def test_the_size_over_all_looks(kind, looks):
    """Paired evaluations without a difference, 100 tasks more at each look, reject in 5% of evaluations overall."""
    from scipy.special import stdtr

    rng = np.random.default_rng(looks)
    size, step = 4000, 100
    p = rng.beta(1, 1, (size, looks * step)).astype(np.float32)
    d = rng.binomial(4, p) - rng.binomial(4, p)
    bounds = group_sequential_bounds(looks, kind=kind).nominal_p
    rejected = np.zeros(size, dtype=bool)
    naive = np.zeros(size, dtype=bool)
    for look in range(looks):
        seen = d[:, : (look + 1) * step]
        t = seen.mean(1) / (seen.std(1, ddof=1) / np.sqrt(seen.shape[1]))
        p_value = 2 * stdtr(seen.shape[1] - 1, -np.abs(t))
        rejected |= p_value <= bounds[look]
        naive |= p_value <= 0.05
    assert abs(rejected.mean() - 0.05) < 3 * np.sqrt(0.05 * 0.95 / size)
    assert naive.mean() > 0.07
