import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from passband.errors import InvalidInputError
from passband.stats import adjust_p, pass_rate_interval, simultaneous_intervals

NAMES = {"holm": "holm", "hochberg": "simes-hochberg", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}


@pytest.mark.parametrize("method", NAMES)
@settings(max_examples=60, deadline=None)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_agrees_with_statsmodels(method, p):
    """Adjusted p-values are statsmodels', in the order given, ties and single values included."""
    expected = multipletests(p, method=NAMES[method])[1]
    assert adjust_p(p, method) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", NAMES)
def test_batches_are_rows(method):
    """Leading axes stand alone."""
    p = np.random.default_rng(0).random((3, 5))
    assert adjust_p(p, method) == pytest.approx(np.array([adjust_p(row, method) for row in p]))


def test_what_makes_no_sense_is_refused():
    """A p above 1, none at all, and an unknown method raise."""
    with pytest.raises(InvalidInputError, match="1.5 is not between"):
        adjust_p([0.5, 1.5])
    with pytest.raises(InvalidInputError, match="no p-value"):
        adjust_p([])
    with pytest.raises(InvalidInputError, match="'sidak' is unknown"):
        adjust_p([0.5], "sidak")


def test_simultaneous_intervals_share_the_error():
    """Each of m groups has its interval at 1 - 0.05/m."""
    groups = [([1, 4, 2], 4), ([0, 0], 4), ([4, 3, 3, 1], [4, 4, 8, 2])]
    for (c, n), found in zip(groups, simultaneous_intervals(groups), strict=True):
        assert found == pass_rate_interval(c, n, level=1 - 0.05 / 3)
    with pytest.raises(InvalidInputError, match="no group"):
        simultaneous_intervals([])
