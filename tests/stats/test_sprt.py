import math

import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import sprt


def error_and_length(p, p0, p1, alpha, beta, horizon):
    """Exact probabilities of either decision, and the mean sample number, by recursion over the count of passes."""
    win, loss = math.log(p1 / p0), math.log((1 - p1) / (1 - p0))
    upper, lower = math.log((1 - beta) / alpha), math.log(beta / (1 - alpha))
    alive, decided, length = {0: 1.0}, [0.0, 0.0], 0.0
    for t in range(1, horizon + 1):
        ahead = {}
        for passes, mass in alive.items():
            for step, share in ((1, p), (0, 1 - p)):
                ahead[passes + step] = ahead.get(passes + step, 0.0) + mass * share
        alive = {}
        for passes, mass in ahead.items():
            ratio = passes * win + (t - passes) * loss
            if ratio >= upper or ratio <= lower:
                decided[int(ratio >= upper)] += mass
                length += t * mass
            else:
                alive[passes] = mass
    return decided, length, sum(alive.values())


@pytest.mark.parametrize(("p0", "p1"), [(0.5, 0.7), (0.1, 0.3), (0.9, 0.8)])
def test_walds_bounds_hold_exactly(p0, p1):
    """True errors, computed without simulation, obey Wald's inequalities; lengths are near his approximation."""
    alpha, beta = 0.05, 0.1
    (_, wrong), length0, left0 = error_and_length(p0, p0, p1, alpha, beta, 1500)
    (missed, _), length1, left1 = error_and_length(p1, p0, p1, alpha, beta, 1500)
    assert max(left0, left1) < 1e-9
    assert wrong <= alpha / (1 - beta)
    assert missed <= beta / (1 - alpha)
    assert wrong + missed <= alpha + beta
    found = sprt([1], p0, p1, alpha=alpha, beta=beta)
    assert found.expected_p0 == pytest.approx(length0, rel=0.2)
    assert found.expected_p1 == pytest.approx(length1, rel=0.2)


def test_it_stops_where_the_path_crosses():
    """The decision is made at the first crossing, whatever comes later."""
    found = sprt([1] * 10 + [0] * 40, p0=0.5, p1=0.8)
    assert found.decision == "p1"
    crossing = math.ceil(math.log(0.95 / 0.05) / math.log(0.8 / 0.5))
    assert found.stopped_at == crossing == 7
    assert found.path[5] < found.reject_above <= found.path[6]


def test_failures_decide_for_the_null_and_little_decides_nothing():
    """All failures accept p0; two samples settle nothing."""
    assert sprt([0] * 20, 0.5, 0.8).decision == "p0"
    found = sprt([1, 0], 0.5, 0.8)
    assert (found.decision, found.stopped_at) == ("continue", 2)


def test_batches_are_many_single_calls():
    """Leading axes are independent series."""
    x = (np.random.default_rng(0).random((6, 50)) < 0.7).astype(int)
    batch = sprt(x, 0.5, 0.8)
    for i in range(6):
        one = sprt(x[i], 0.5, 0.8)
        assert (batch.decision[i], batch.stopped_at[i]) == (one.decision, one.stopped_at)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sprt([2], 0.5, 0.8),
        lambda: sprt([], 0.5, 0.8),
        lambda: sprt([1], 0.5, 0.5),
        lambda: sprt([1], 0.0, 0.5),
        lambda: sprt([1], 0.5, 0.8, alpha=0.6, beta=0.4),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Values other than 0 and 1, equal or certain rates, and errors that add to 1 are errors."""
    with pytest.raises(InvalidInputError):
        call()
