import itertools
import math

import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import StratifiedSequence


def draw(rng, rates, rounds, bounds):
    """Draw rounds as the bounds want them; return the bounds after each and how many samples it took."""
    path, drawn = [], 0
    for _ in range(rounds):
        samples = bounds.next_round()
        passed = rng.binomial(samples, rates)
        bounds.add(passed, samples - passed, np.zeros(len(rates), int))
        drawn += int(samples.sum())
        path.append((bounds.low, bounds.high))
    return path, drawn


def test_the_bounds_are_where_the_product_reaches_its_threshold():
    """With one half-width the lower bound solves the definition, written out sample by sample."""
    level, half = 0.8, 0.05
    results = [(1, 1), (1, 0), (1, 1), (1, 1), (0, 1), (1, 1)] * 4
    bounds = StratifiedSequence(2, level=level, half_widths=half)
    passed, won, charged, staked = [0, 0], 0.0, 0.0, 0.0
    lows = [0.0]
    for graded, result in enumerate(results):
        overall = sum(passed) / (2 * graded) if graded else 0.5
        guess = [(passed[t] + overall) / (graded + 1) for t in (0, 1)]
        variance = max(sum(g * (1 - g) for g in guess) / 2, 1e-6)
        stake = min(0.8, half / (half + variance))
        won += stake * sum(result)
        charged += (-math.log1p(-stake) - stake) * sum((x - g) ** 2 for x, g in zip(result, guess, strict=True))
        staked += stake * 2
        passed = [p + x for p, x in zip(passed, result, strict=True)]
        bounds.add(result, [1 - x for x in result], [0, 0])
        lows.append((won - charged - math.log(2 / (1 - level))) / staked)
        assert bounds.low == pytest.approx(max(lows), abs=1e-9)
    assert bounds.low > 0.3


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.1, 0.9), (0.02, 0.4), (0.7, 0.95)])
def test_the_chance_to_miss_at_any_look_is_bounded(rates):
    """Over all outcomes of two tasks in three unequal rounds, the bounds ever miss with less than the stated chance."""
    plan = [(3, 2), (2, 3), (1, 2)]
    mean = sum(rates) / 2

    def missed(bounds, step, chance):
        """Chance to miss from here on, over the passes of each round."""
        if not bounds.low <= mean <= bounds.high:
            return chance
        if step == len(plan):
            return 0.0
        total = 0.0
        samples = plan[step]
        for passes in itertools.product(*(range(m + 1) for m in samples)):
            weight = math.prod(
                math.comb(m, c) * p**c * (1 - p) ** (m - c) for m, c, p in zip(samples, passes, rates, strict=True)
            )
            after = fork(bounds)
            after.add(passes, [m - c for m, c in zip(samples, passes, strict=True)], [0, 0])
            total += missed(after, step + 1, chance * weight)
        return total

    share = missed(StratifiedSequence(2, level=0.3, half_widths=(0.1, 0.2)), 0, 1.0)
    assert 0 < share <= 0.7


def fork(bounds):
    """Copy a sequence, so that it may go on in two ways."""
    made = StratifiedSequence(2, level=0.3, half_widths=(0.1, 0.2))
    for name, value in vars(bounds).items():
        setattr(made, name, value.copy() if isinstance(value, np.ndarray) else value)
    return made


def test_samples_go_where_variance_is():
    """Where most tasks are certain the others get more; where all are alike, and in the first rounds, none does."""
    rng = np.random.default_rng(1)
    far = np.repeat([0.0, 1.0, 0.5], [12, 12, 6])
    bounds = StratifiedSequence(30, half_widths=0.01)
    for _ in range(40):
        samples = bounds.next_round()
        passed = rng.binomial(samples, far)
        bounds.add(passed, samples - passed, np.zeros(30, int))
    assert samples[24:].mean() > 2 * samples[:24].mean() >= 2
    alike = StratifiedSequence(30, half_widths=0.01)
    for _ in range(8):
        assert set(alike.next_round().tolist()) == {1}
        draw(rng, np.full(30, 0.5), 1, alike)


def test_tasks_far_apart_need_fewer_samples():
    """The bounds know the variance within tasks: that of tasks far apart is small, whatever their mean."""
    rng = np.random.default_rng(2)
    widths = []
    for rates in (np.repeat([0.0, 1.0], 15), np.full(30, 0.5)):
        bounds = StratifiedSequence(30, half_widths=0.05)
        draw(rng, rates, 12, bounds)
        widths.append(bounds.high - bounds.low)
    assert widths[0] < 0.6 * widths[1]


@pytest.mark.parametrize("mean", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("half", [0.1, 0.05])
def test_the_width_that_is_waited_for_comes(mean, half):
    """Whatever the rate, an interval is as narrow as it was to be before ten times what one look would take."""
    rng = np.random.default_rng(4)
    bounds = StratifiedSequence(30, half_widths=half)
    _, drawn = draw(rng, np.full(30, mean), int(10 * 0.25 * 1.96**2 / half**2 / 30), bounds)
    assert bounds.high - bounds.low <= 2 * half
    assert drawn >= 30


def test_a_sample_without_a_verdict_widens_both_ways():
    """Missing verdicts are failures in the lower bound and passes in the upper one."""
    rng = np.random.default_rng(3)
    whole, torn, low, high = (StratifiedSequence(20, half_widths=0.1) for _ in range(4))
    none, one = np.zeros(20, int), np.arange(20) == 0
    for _ in range(20):
        passed = rng.binomial(1, np.full(20, 0.5)) * ~one
        failed = 1 - passed
        whole.add(passed, failed, none)
        torn.add(passed, failed * ~one, one.astype(int))
        low.add(passed, failed, none)
        high.add(passed + one, failed * ~one, none)
    assert torn.low <= low.low + 0.02
    assert torn.high >= high.high - 0.02
    assert torn.high > whole.high


@pytest.mark.parametrize(
    "counts", [([1, 0], [0, 0], [0, 0]), ([1], [0], [0]), ([1, -1], [0, 2], [0, 0]), ([[1, 1]], [[0, 0]], [[0, 0]])]
)
def test_what_is_no_round_is_refused(counts):
    """A round has a sample of each task, and as many counts as there are tasks."""
    with pytest.raises(InvalidInputError):
        StratifiedSequence(2, half_widths=0.1).add(*counts)


@pytest.mark.parametrize(
    ("tasks", "options"),
    [(0, {"half_widths": 0.1}), (2, {"half_widths": 0.0}), (2, {"half_widths": 0.1, "level": 1.0})],
)
def test_what_makes_no_sense_is_refused(tasks, options):
    """There is a task, a half-width above zero, and a level below one."""
    with pytest.raises(InvalidInputError):
        StratifiedSequence(tasks, **options)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [(1.0, 1.0), (0.1, 0.1), (1.0, 9.0), (50.0, 50.0)])
def test_the_error_rate_holds_whenever_one_stops(spread):
    """Over tasks of any spread, samples sent where variance is, the bounds ever miss in at most one run of twenty."""
    rng = np.random.default_rng(11)
    runs, missed = 300, 0
    for _ in range(runs):
        rates = rng.beta(*spread, 30)
        path, _ = draw(rng, rates, 60, StratifiedSequence(30, half_widths=0.03))
        missed += any(not low <= rates.mean() <= high for low, high in path)
    assert missed <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)
