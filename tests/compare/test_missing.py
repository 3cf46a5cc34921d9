"""A word stands only where it does whatever the samples without a verdict would have been."""

import random

import pytest

from passband.compare import compare_coverage, compare_recipes, compare_runs, rank_runs
from passband.report import render_narrowing, render_ranking, render_recipes
from passband.stats import pass_at_k
from tests.tables import table


def drawn(rng, name, rate, *, cases=24, n=4, errors=0.0, skew=0.5):
    """A run whose samples error with one probability, those of a failing sample more or less often than the others."""

    def letter():
        passed = rng.random() < rate
        lost = rng.random() < errors * (2 * skew if passed else 2 * (1 - skew))
        return "E" if lost else "FP"[passed]

    return {f"c{i}": "".join(letter() for _ in range(n)) for i in range(cases)}, name


def filled(rng, letters):
    """The same runs with every error turned into a verdict, all of a run alike or each by chance."""
    how = rng.choice(["P", "F", "PF"])
    return {case: "".join(rng.choice(how) if one == "E" else one for one in text) for case, text in letters.items()}


def made(runs):
    return [table(letters, run_id=name) for letters, name in runs]


def rate(table_):
    """Mean over cases of the share that passed."""
    n = table_.header.samples_per_case
    return sum(passed == 1 for passed in table_.passed) / (n * len(table_.header.case_ids))


@pytest.mark.parametrize("seed", range(12))
def test_a_run_below_another_stays_below_it(seed):
    """Whoever is told apart from the best is behind some run in every completion of what errored."""
    rng = random.Random(seed)
    runs = [
        drawn(rng, f"r{i}", rng.random(), errors=rng.choice([0, 0.05, 0.4]), skew=rng.random())
        for i in range(rng.randint(2, 5))
    ]
    ranking = rank_runs(made(runs))
    below = [system.run_id for system in ranking.systems if not system.may_be_best]
    assert ranking.tied == len(runs) - len(below)
    for system in ranking.systems:
        assert system.may_be_best == (system.behind <= 0) == (system.rank[0] == 1)
        assert not system.taken_back or system.may_be_best
    for _ in range(20):
        rates = {name: rate(table(filled(rng, letters), run_id=name)) for letters, name in runs}
        assert all(rates[name] < max(rates.values()) for name in below)


@pytest.mark.parametrize("seed", range(12))
def test_a_side_that_is_shown_stays_that_side(seed):
    """Where curves are said to shift or to narrow, some k has that sign in every completion of what errored."""
    rng = random.Random(seed)
    base, cand = (
        drawn(rng, name, rng.choice([0.1, 0.5, 0.9]), errors=rng.choice([0, 0.05, 0.5]), skew=rng.random())
        for name in ("base", "cand")
    )
    found = compare_coverage(*made([base, cand]))
    sides = {"narrows": {1, -1}, "widens": {1, -1}, "shifts up": {1}, "shifts down": {-1}, "unclear": set()}
    for _ in range(20):
        one, two = ([text.count("P") for text in filled(rng, letters).values()] for letters, _ in (base, cand))
        moved = [float((pass_at_k(4, two, k) - pass_at_k(4, one, k)).mean()) for k in found.ks]
        seen = {(value > 0) - (value < 0) for value in moved}
        assert sides[found.verdict] <= seen


@pytest.mark.parametrize("seed", range(12))
def test_two_runs_rank_as_they_compare(seed):
    """With two runs a ranking takes back what a comparison takes back."""
    rng = random.Random(seed)
    runs = made(drawn(rng, name, rng.random(), errors=0.3, skew=rng.random()) for name in "ab")
    ranking, pair = rank_runs(runs, level=0.975), compare_runs(*runs)
    if pair.verdict in {"better", "worse"}:
        assert ranking.tied == 1
        assert ranking.systems[0].run_id == ("b" if pair.verdict == "better" else "a")
    else:
        assert ranking.tied == 2
    assert any(system.taken_back for system in ranking.systems) == pair.taken_back


def test_what_errors_could_turn_is_taken_back_and_said():
    """Runs far apart as graded, one of them mostly errors: no word is left, and the reports say why."""
    good = table({f"c{i}": "PPPP" for i in range(40)}, run_id="good")
    lost = table({f"c{i}": "FEEE" for i in range(40)}, run_id="lost")
    more = table({f"c{i}": "PPPF" for i in range(40)}, run_id="more")
    ranking = rank_runs([good, lost, more])
    assert {system.run_id: system.taken_back for system in ranking.systems} == {
        "good": False,
        "more": False,
        "lost": False,
    }
    assert {system.run_id for system in ranking.systems if system.may_be_best} == {"good"}
    less = table({f"c{i}": "PPFF" for i in range(40)}, run_id="less")
    ranking = rank_runs([less, lost])
    assert {system.run_id: system.taken_back for system in ranking.systems} == {"less": False, "lost": True}
    assert "! lost: as graded it is behind, but samples without a verdict could make it the best" in (
        render_ranking(ranking)
    )
    narrowing = compare_coverage(less, lost)
    assert (narrowing.verdict, narrowing.taken_back, narrowing.missing) == ("unclear", True, (0, 120))
    assert "could turn what the intervals say" in " ".join(render_narrowing(narrowing).split())


def test_recipes_take_back_too():
    """The difference of two recipes stands only where it does whatever errored."""

    def seeds(name, text, other):
        return [
            table({f"c{i}": text if (i + seed) % 9 else other for i in range(40)}, run_id=f"{name}{seed}")
            for seed in range(3)
        ]

    whole = compare_recipes(seeds("a", "PPFF", "PFFF"), seeds("b", "FFFF", "PFFF"))
    assert (whole.verdict, whole.errored) == ("worse", (0, 0))
    assert whole.bounds == pytest.approx((whole.difference.estimate.value,) * 2)
    found = compare_recipes(seeds("a", "PPFF", "PFFF"), seeds("b", "FEEE", "PFFF"))
    assert (found.verdict, found.difference.estimate.high < 0) == ("unclear", True)
    assert found.bounds[1] > 0
    assert "! samples without a verdict: 0 and" in render_recipes(found)
