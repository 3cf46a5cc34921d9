import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import bradley_terry

# Agresti (2002), Categorical Data Analysis, Table 10.10: the American League's 1987 games, row beat column
BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]


def test_agrestis_baseball_example():
    """Strengths against Baltimore are 1.581, 1.436, 1.294, 1.248, 1.108, 0.684; Milwaukee's standard error is 0.343."""
    found = bradley_terry(BASEBALL)
    np.testing.assert_allclose(
        found.strength - found.strength[-1], [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0], atol=6e-4
    )
    covariance = found.covariance
    error = math.sqrt(covariance[0, 0] + covariance[6, 6] - 2 * covariance[0, 6])
    assert error == pytest.approx(0.343, abs=6e-4)
    assert found.n_comparisons == 273


def test_two_systems_are_a_binomial():
    """With two systems the probability of winning is the share of wins, and the interval that of its logit."""
    found = bradley_terry([[0, 30], [10, 0]])
    assert found.win[0, 1] == pytest.approx(0.75)
    half = 1.959964 * math.sqrt(1 / 30 + 1 / 10)
    assert found.win_low[0, 1] == pytest.approx(1 / (1 + math.exp(-(math.log(3) - half))), abs=1e-6)
    assert found.win_high[0, 1] == pytest.approx(1 / (1 + math.exp(-(math.log(3) + half))), abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), systems=st.integers(2, 6))
def test_the_likelihood_equations_hold(data, systems):
    """Expected wins equal observed ones, order does not matter, and reversing all results reverses strengths."""
    size = systems * systems
    wins = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))).reshape(systems, systems)
    np.fill_diagonal(wins, 0)
    try:
        found = bradley_terry(wins)
    except InvalidInputError:
        assume(False)
    expected = ((wins + wins.T) * found.win).sum(axis=1)
    np.testing.assert_allclose(expected, wins.sum(axis=1), atol=1e-6)
    assert found.strength.sum() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found.win + found.win.T, 1.0)
    np.testing.assert_allclose(found.win_low + found.win_high.T, 1.0)
    np.testing.assert_allclose(bradley_terry(wins.T).strength, -found.strength, atol=1e-7)
    order = data.draw(st.permutations(range(systems)))
    np.testing.assert_allclose(bradley_terry(wins[order][:, order]).strength, found.strength[order], atol=1e-7)


def test_ties_count_half():
    """A tie as half a win each lies between a win and a loss, and keeps equals equal."""
    tied = bradley_terry([[0, 5.5], [4.5, 0]])
    assert bradley_terry([[0, 5], [5, 0]]).win[0, 1] < tied.win[0, 1] < bradley_terry([[0, 6], [4, 0]]).win[0, 1]


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 3], [0, 0]], r"system\(s\) 0 never lost"),
        ([[0, 1, 1], [1, 0, 1], [0, 0, 0]], r"system\(s\) 0, 1 never lost"),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], "never met"),
        ([[0, 0], [0, 0]], "never met"),
        ([[1, 1], [1, 0]], "itself"),
        ([[0, -1], [1, 0]], "below 0"),
        ([[0, 1, 2], [1, 0, 2]], "systems, systems"),
        ([[0]], "systems, systems"),
    ],
)
def test_what_has_no_finite_strength_is_refused(wins, words):
    """A group that never lost, or never met the rest, is named; so are broken tables."""
    with pytest.raises(InvalidInputError, match=words):
        bradley_terry(wins)


def test_task_by_task_the_strengths_are_the_same():
    """A leading axis of tasks changes the variance and nothing else; one task cannot tell it."""
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 5, (20, 3, 3)) * (1 - np.eye(3, dtype=int))
    clustered, pooled = bradley_terry(wins), bradley_terry(wins.sum(axis=0))
    np.testing.assert_allclose(clustered.strength, pooled.strength)
    assert (clustered.method, clustered.n_tasks) == ("tasks", 20)
    single = bradley_terry(wins[:1])
    assert single.method == "information"
    assert "one task" in single.warnings[0]


@pytest.mark.slow
@pytest.mark.parametrize("games", [5, 20])
def test_coverage_of_independent_comparisons(games):
    """Strengths and win probabilities of five systems are covered about 95% of the time."""
    rng = np.random.default_rng(games)
    truth = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    p = 1 / (1 + np.exp(-(truth[:, None] - truth)))
    inside = []
    for _ in range(1000):
        above = np.triu(rng.binomial(games, p), 1)
        try:
            found = bradley_terry(above + np.triu(games - above, 1).T)
        except InvalidInputError:
            continue
        inside.append(((found.low <= truth) & (truth <= found.high)).mean())
    assert len(inside) > 950
    assert 0.93 < np.mean(inside) < 0.975


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [10, 30, 100])
def test_coverage_where_tasks_favour_systems(tasks):
    """Where each task favours some systems the clustered interval covers, and the naive one covers three quarters."""
    rng = np.random.default_rng(tasks)
    truth = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    clustered, naive = [], []
    for _ in range(500):
        at = truth + rng.normal(size=(tasks, 5))
        p = 1 / (1 + np.exp(-(at[:, :, None] - at[:, None, :])))
        above = np.triu(rng.binomial(4, p), 1)
        wins = above + np.triu(4 - above, 1).swapaxes(1, 2)
        clustered.append(bradley_terry(wins))
        naive.append(bradley_terry(wins.sum(axis=0)))
    centre = np.mean([fit.strength for fit in clustered], axis=0)

    def coverage(fits):
        return np.mean([(fit.low <= centre) & (centre <= fit.high) for fit in fits])

    assert coverage(clustered) > 0.93
    assert coverage(naive) < 0.8
