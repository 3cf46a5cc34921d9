import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import rogan_gladen, wilson_interval


def test_the_correction_by_hand():
    """60% apparent, sensitivity 0.9, specificity 0.8: (0.6 - 0.2) / 0.7."""
    found = rogan_gladen((60, 100), good=(90, 100), bad=(80, 100))
    assert found.value == pytest.approx(0.4 / 0.7)
    assert (found.apparent, found.sensitivity, found.specificity) == pytest.approx((0.6, 0.9, 0.8))


def test_lang_and_reiczigels_formula_by_hand():
    """Their adjusted counts, variance and shift, evaluated step by step."""
    z = 1.959963984540054
    p = (60 + z**2 / 2) / (100 + z**2)
    se, sp = 91 / 102, 81 / 102
    centre = (p + sp - 1) / (se + sp - 1)
    spread = p * (1 - p) / (100 + z**2) + centre**2 * se * (1 - se) / 102 + (1 - centre) ** 2 * sp * (1 - sp) / 102
    shift = 2 * z**2 * (centre * se * (1 - se) / 102 - (1 - centre) * sp * (1 - sp) / 102)
    half = z * spread**0.5 / (se + sp - 1)
    found = rogan_gladen((60, 100), good=(90, 100), bad=(80, 100))
    assert (found.low, found.high) == pytest.approx((centre + shift - half, centre + shift + half))


def test_a_known_perfect_judge_changes_nothing():
    """With a perfect judge, certified by a million labels, the rate stays and the interval is like Wilson's."""
    found = rogan_gladen((60, 100), good=(10**6, 10**6), bad=(10**6, 10**6))
    plain = wilson_interval(60, 100)
    assert found.value == pytest.approx(0.6)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.02)


@settings(deadline=None, max_examples=80)
@given(data=st.data(), n=st.integers(1, 50), m=st.integers(1, 30))
def test_ends_hold_the_value_inside_the_unit_interval(data, n, m):
    """Any counts of a judge better than a coin give an interval around the value; swapping pass and fail mirrors."""
    k = data.draw(st.integers(0, n))
    good, bad = data.draw(st.integers(0, m)), data.draw(st.integers(0, m))
    if good + bad <= m:
        with pytest.raises(InvalidInputError, match="can't be corrected"):
            rogan_gladen((k, n), (good, m), (bad, m))
        return
    found = rogan_gladen((k, n), (good, m), (bad, m))
    assert 0 <= found.low <= found.value <= found.high <= 1
    mirrored = rogan_gladen((n - k, n), (bad, m), (good, m))
    assert found.value == pytest.approx(1 - mirrored.value)
    assert found.low == pytest.approx(1 - mirrored.high)


def test_batches_are_many_single_calls():
    """Counts broadcast, the calibration being shared or not."""
    found = rogan_gladen(([10, 20, 30], 50), (45, 50), (40, 50))
    for i, k in enumerate((10, 20, 30)):
        assert found.low[i] == pytest.approx(rogan_gladen((k, 50), (45, 50), (40, 50)).low)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rogan_gladen((5, 4), (4, 4), (4, 4)),
        lambda: rogan_gladen((5, 10), (4, 4), (0, 0)),
        lambda: rogan_gladen(([1, 2], 4), ([1, 2, 3], 4), (4, 4)),
        lambda: rogan_gladen((1, 4), (4, 4), (4, 4), level=2.0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Impossible counts, no calibration and misfit shapes are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.7, 0.7), (0.9, 0.8), (0.99, 0.95)])
@pytest.mark.parametrize("labels", [10, 30, 100])
def test_coverage_with_calibration_uncertainty(sensitivity, specificity, labels):
    """The true rate is covered at least 94% of the time, from rare to common passes and few to many labels."""
    rng = np.random.default_rng(labels)
    size = 8000
    for n in (50, 200, 1000):
        for p in (0.02, 0.1, 0.5, 0.9):
            k = rng.binomial(n, p * sensitivity + (1 - p) * (1 - specificity), size)
            good, bad = rng.binomial(labels, sensitivity, size), rng.binomial(labels, specificity, size)
            usable = good + bad > labels
            found = rogan_gladen((k[usable], n), (good[usable], labels), (bad[usable], labels))
            covered = np.mean((found.low <= p) & (p <= found.high))
            assert covered > 0.94 - 3 * np.sqrt(0.94 * 0.06 / size), (n, p, covered)
