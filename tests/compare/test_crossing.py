import numpy as np
import pytest

from passband.compare.crossing import find_crossing
from passband.stats import paired_curve_difference, pass_at_k

KS = (1, 2, 4, 8, 16)


def crossing(c_a, c_b, n=16):
    """Find the crossing of two runs given by their counts."""
    c_a, c_b = np.array(c_a), np.array(c_b)
    differences = np.array([pass_at_k(n, c_b, k) - pass_at_k(n, c_a, k) for k in KS])
    return find_crossing(KS, paired_curve_difference(c_a, n, c_b, n, KS), differences)


def test_a_crossing_that_is_shown_has_both_ends():
    """Half of many cases for sure against all of them sometimes: the band shows both sides, and brackets the k."""
    found = crossing([4] * 40, [16] * 22 + [0] * 18)
    # 22/40 at every k, against 1 - C(12, k) / C(16, k) = .25, .45, .73, ...: they cross between 2 and 4.
    assert found.observed == 4
    assert found.after in {1, 2}
    assert found.by in {4, 8}
    assert found.resampled > 0.9
    assert found.resampled_ks[0] <= 4 <= found.resampled_ks[2]


def test_a_crossing_on_one_case_is_as_likely_as_that_case():
    """It is lost in the resamples that leave the case out, (4/5)^5 of them, and no band shows its end."""
    found = crossing([2, 2, 2, 2, 4], [16, 16, 16, 16, 0])
    assert found.observed is not None
    assert found.by is None
    # Crossing needs the case once or more; where it is drawn often the candidate may begin behind.
    assert found.resampled < 1 - 0.8**5 + 0.03
    assert found.resampled > 0.3


def test_no_crossing():
    """Of a run that is ahead on every case none is observed, none shown, none resampled."""
    found = crossing([2] * 10, [8] * 10)
    assert (found.observed, found.by, found.resampled, found.resampled_ks) == (None, None, 0.0, None)
    assert found.after == 8  # at k = 16 both cover everything


def test_a_run_against_itself_is_on_no_side():
    """Differences that are zero have no sign."""
    found = crossing([1, 5, 9], [1, 5, 9])
    assert (found.observed, found.after, found.by, found.resampled) == (None, None, None, 0.0)


@pytest.mark.parametrize("cases", [3, 40])
def test_the_same_every_time(cases):
    """Resampling is seeded."""
    a, b = [4] * cases, ([16, 0, 16] * cases)[:cases]
    assert crossing(a, b) == crossing(a, b)
