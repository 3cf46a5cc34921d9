from operator import attrgetter

import numpy as np
import pytest

from passband import stats

C = np.array([1, 4, 2, 7, 5, 3, 6, 2])
RATES = np.array([[0.1, 0.5, 0.9], [0.2, 0.4, 0.8], [0.1, 0.6, 1.0]])
MARKS = np.array([[1, 0, 1, 1, 0, 1, 0, 1], [1, 0, 0, 1, 0, 1, 1, 1]])
CASES = {
    "wald_interval": ((3, 9), None),
    "jeffreys_interval": ((3, 9), None),
    "cohen_kappa": ((MARKS[0], MARKS[1]), None),
    "fleiss_kappa": (([[2, 1], [3, 0], [0, 3], [1, 2], [3, 0], [2, 1]],), None),
    "krippendorff_alpha": ((MARKS,), None),
    "reliability_curve": (([0.9, 0.8, 0.9, 0.2, 0.3, 0.1], [1, 1, 0, 0, 1, 0]), None),
    "bradley_terry": (([[0, 7, 8], [3, 0, 6], [2, 4, 0]],), None),
    "paired_bootstrap_diff": ((C / 8, np.roll(C, 1) / 8), None),
    "seed_variance": (([[[23, 22]], [[24, 22]], [[18, 19]], [[23, 25]]], 32), attrgetter("mean")),
    "prediction_powered_mean": ((MARKS[0], MARKS[1], np.tile(MARKS[1], 5)), None),
    "interquartile_mean": ((RATES,), None),
    "select_checkpoint": ((([C, C], 8), ([C, C], 8)), attrgetter("test")),
    "simultaneous_intervals": (([(C, 8), (C[::2], 8)],), lambda found: found[0]),
    "pass_at_k_band": ((C, 8, [1, 2, 4]), lambda found: found[1]),
    "pass_hat_k_band": ((C, 8, [1, 2, 4]), lambda found: found[1]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_higher_level_gives_a_wider_interval(name):
    """The interval at 99% holds the one at 80%, and is wider: the option reaches the arithmetic."""
    given, part = CASES[name]
    function = getattr(stats, name)
    narrow, wide = (function(*given, level=level) for level in (0.8, 0.99))
    if part is not None:
        narrow, wide = part(narrow), part(wide)
    assert np.all(np.asarray(wide.low) <= narrow.low)
    assert np.all(np.asarray(narrow.high) <= wide.high)
    assert np.all(np.asarray(wide.high) - wide.low > np.asarray(narrow.high) - narrow.low)
