import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import cohen_kappa, krippendorff_alpha

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: 4 observers, 12 units, gaps as 0
MARKS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


@pytest.mark.parametrize(
    ("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_textbook_example(metric, alpha):
    """All four metrics of Krippendorff's worked example, with its missing marks."""
    found = krippendorff_alpha(MARKS, metric=metric, given=MARKS > 0)
    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert (found.n_units, found.n_ratings) == (11, 40)
    assert found.low < alpha < found.high


def test_two_raters_by_hand():
    """Krippendorff (2011), section A: ten units of 0s and 1s, alpha 0.095."""
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([a, b]).value == pytest.approx(0.095, abs=5e-4)


def test_nominal_alpha_approaches_kappa():
    """With two raters of equal marginals and many units, alpha is Cohen's kappa."""
    rng = np.random.default_rng(0)
    x = rng.random(20_000) < 0.5
    a, b = (np.where(rng.random(x.size) < 0.9, x, ~x) for _ in range(2))
    assert krippendorff_alpha([a[:3000], b[:3000]]).value == pytest.approx(
        cohen_kappa(a[:3000], b[:3000]).value, abs=1e-3
    )


@settings(deadline=None, max_examples=40)
@given(data=st.data(), raters=st.integers(2, 4), units=st.integers(1, 6))
def test_order_and_names_do_not_matter(data, raters, units):
    """Raters and units may be permuted, nominal marks renamed; what is not given is not looked at."""
    size = raters * units
    marks = np.array(data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))).reshape(raters, units)
    given = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(raters, units)
    given[:2, 0] = True
    found = krippendorff_alpha(marks, given=given)
    shuffled = krippendorff_alpha(marks[::-1, ::-1], given=given[::-1, ::-1])
    named = krippendorff_alpha(np.array(["", "a", "b", "c"])[marks], given=given)
    hidden = krippendorff_alpha(np.where(given, marks, 99), given=given)
    if found.value is None:
        assert shuffled.value is named.value is hidden.value is None
    else:
        assert found.value == pytest.approx(shuffled.value)
        assert found.value == pytest.approx(named.value) == pytest.approx(hidden.value)
        assert found.value <= 1 + 1e-12


def test_interval_marks_may_be_shifted_and_scaled():
    """The interval metric knows no zero and no unit; the ratio metric knows a zero."""
    base = krippendorff_alpha(MARKS, metric="interval", given=MARKS > 0).value
    moved = krippendorff_alpha(MARKS * 10.0 - 3, metric="interval", given=MARKS > 0).value
    ratio = krippendorff_alpha(MARKS, metric="ratio", given=MARKS > 0).value
    scaled = krippendorff_alpha(MARKS * 10.0, metric="ratio", given=MARKS > 0).value
    assert base == pytest.approx(moved)
    assert ratio == pytest.approx(scaled)


def test_perfect_agreement_keeps_a_width():
    """Three raters at one on five units: alpha 1, and a lower end below it."""
    found = krippendorff_alpha(np.tile([1, 2, 3, 1, 2], (3, 1)))
    assert found.value == 1.0
    assert found.low < 0.8


def test_nothing_to_agree_on_is_no_number():
    """One mark throughout leaves alpha undefined."""
    assert krippendorff_alpha([[1, 1], [1, 1]]).value is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: krippendorff_alpha([1, 2, 3]),
        lambda: krippendorff_alpha([[1, 2]]),
        lambda: krippendorff_alpha([[1, 2], [1, 2]], given=[[True, False], [False, True]]),
        lambda: krippendorff_alpha([[1, 2], [1, 2]], given=[[1, 1], [1, 1]]),
        lambda: krippendorff_alpha([[1, -2], [1, 2]], metric="ratio"),
        lambda: krippendorff_alpha([["a", "b"], ["a", "b"]], metric="interval"),
        lambda: krippendorff_alpha([[1, 2], [1, 2]], metric="cosine"),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """One rater, no pairs, a mask that is none, and marks without a distance are errors."""
    with pytest.raises(InvalidInputError):
        call()
