"""17.4: two noises, pairs, and how much a comparison takes."""

import numpy as np
import pytest

from passband.stats import seed_variance
from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import make_tasks
from tinyagent.chapter import s17_4


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Four seeds that are one run, its evaluations remembered."""
    return ShippedLab(cache=tmp_path_factory.mktemp("cache"), seeds=range(4))


def test_seeds_that_are_one_checkpoint_have_no_training_noise(lab):
    """Evaluations of one checkpoint scatter, by what independent episodes give, and leave nothing for the seed."""
    counts = s17_4.early_counts(lab)
    assert counts.shape == (4, 10, 2)
    assert len({counts[seed, :, again].tobytes() for seed in range(4) for again in (0, 1)}) == 8
    found = seed_variance(counts, s17_4.N)
    assert found.training_sd_low == 0
    assert 0 < found.evaluation_sd < 2 * np.sqrt(found.sampling_variance)


def test_a_pair_is_the_difference_task_by_task(lab):
    """Difference and standard errors by hand, from counts under the same random numbers."""
    seed = lab.derive("17.4 pair", 0)
    before, after = (lab.counts(lab.agent(0, step), make_tasks("held-out"), n=32, seed=seed) / 32 for step in (60, 80))
    found = s17_4.late_pair(lab, 0)
    assert found.estimate.value == pytest.approx((after - before).mean())
    assert found.se_paired == pytest.approx((after - before).std(ddof=1) / np.sqrt(10))
    assert found.se_unpaired == pytest.approx(np.sqrt((after.var(ddof=1) + before.var(ddof=1)) / 10))


def test_units_by_the_textbook(lab):
    """N = ((z + z) sd / effect)², twice that unpaired, rounded up; the t-test asks for no fewer."""
    section = s17_4.run(lab)
    needed = next(table for table in section.tables if table.name == "needed")
    for name, sd, two, five, two_t, five_t in needed.rows:
        factor = 1 if name.startswith("paired") else 2
        exact = factor * ((1.959964 + 0.841621) * sd / np.array([0.02, 0.05])) ** 2
        assert [two, five] == np.maximum(np.ceil(exact), 1).tolist()
        assert two_t >= two
        assert five_t >= five


def test_the_paragraph_says_the_tables_numbers(lab):
    """Of the first seed's difference, and of the four ways to take four of four."""
    section = s17_4.run(lab)
    pair = next(table for table in section.tables if table.name == "pairs").rows[0]
    assert f"{pair[1]:.3f} [{pair[2]:.3f}, {pair[3]:.3f}] above its step 60" in section.measured
    assert "of the 1 ways" in section.measured
