import dataclasses
import random

import msgspec
import pytest

from passband.aggregate import read_counts
from passband.compare import compare_recipes, compare_runs, rank_runs
from passband.errors import DataError, UsageError
from passband.report import render_ranking
from tests.tables import table


def run(name, rate, *, cases=60, n=4, seed=0):
    """A run whose samples pass with one probability."""
    rng = random.Random(f"{name}{seed}")
    return table({f"c{i}": "".join("FP"[rng.random() < rate] for _ in range(n)) for i in range(cases)}, run_id=name)


def test_the_best_and_those_like_it_are_set_apart():
    """Runs far below leave the set; order, set, gap and rank agree."""
    found = rank_runs([run("low", 0.1), run("high", 0.6), run("near", 0.58), run("mid", 0.4)])
    assert [system.run_id for system in found.systems][-2:] == ["mid", "low"]
    assert {system.run_id for system in found.systems if system.may_be_best} == {"high", "near"}
    assert found.tied == 2
    for system in found.systems:
        assert system.may_be_best == (system.behind <= 0) == (system.rank[0] == 1)


def test_only_cases_that_all_share_count():
    """A case that one of the runs lacks is in no number, and each run's own mean is shown beside."""
    found = rank_runs([run("a", 0.5, cases=20), run("b", 0.5, cases=30), run("c", 0.5, cases=25)])
    assert (found.n_shared, found.n_union) == (20, 30)
    assert {system.run_id: system.own_cases for system in found.systems} == {"a": 20, "b": 30, "c": 25}
    assert all(system.pass_at_1.n_tasks == 20 for system in found.systems)


def test_one_run_or_one_run_twice_is_refused():
    """A ranking needs runs, different ones, that share cases."""
    with pytest.raises(UsageError, match="no ranking"):
        rank_runs([run("a", 0.5)])
    with pytest.raises(UsageError, match="named twice"):
        rank_runs([run("a", 0.5), run("a", 0.5)])
    with pytest.raises(DataError, match="no case is shared"):
        rank_runs([table({"x": "P"}, run_id="a"), table({"y": "P"}, run_id="b")])


def arms(rates, names):
    return [run(f"{names}{i}", rate) for i, rate in enumerate(rates)]


def test_recipes_are_compared_by_seed():
    """Three seeds an arm, far apart, support a claim about the recipe; its unit is the seed."""
    found = compare_recipes(arms([0.3, 0.32, 0.28], "a"), arms([0.6, 0.62, 0.58], "b"))
    assert found.verdict == "better"
    assert found.difference.estimate.n_tasks == 6
    assert found.difference.estimate.estimand == "recipe"


def test_one_seed_an_arm_supports_no_claim_whatever_the_checkpoints_show():
    """Two checkpoints may be told apart where the recipes behind them can't."""
    a, b = arms([0.2], "a"), arms([0.7], "b")
    assert compare_runs(a[0], b[0]).verdict == "better"
    found = compare_recipes(a, b)
    assert found.verdict == "unclear"
    assert "support no claim" in found.difference.estimate.warnings[0]


def test_a_run_stands_for_one_seed():
    """One run named for two seeds would make training noise vanish."""
    a = arms([0.3, 0.3, 0.3], "a")
    with pytest.raises(UsageError, match="stands for two seeds"):
        compare_recipes([a[0], a[0], a[1]], arms([0.5] * 3, "b"))


def test_harnesses_that_differ_block_here_too():
    """Ranking and recipes refuse numbers of different harnesses like any comparison."""
    a, b, c = run("a", 0.5), run("b", 0.5), run("c", 0.5)
    other = msgspec.structs.replace(c.header.harness, grader="g@2")
    c = dataclasses.replace(c, header=msgspec.structs.replace(c.header, harness=other))
    with pytest.raises(UsageError, match="differ in grader"):
        rank_runs([a, b, c])
    assert rank_runs([a, b, c], allow=["grader"]).harness_fields == ("grader",)
    with pytest.raises(UsageError, match="differ in grader"):
        compare_recipes([a, b], [c])


def test_one_run_under_two_names_is_said(tmp_path):
    """Equal samples under two names are said, of runs by their answers, of counts by many telling numbers."""
    cases = {f"c{i}": "P1F2" for i in range(10)}
    twins = [table(cases, run_id="one"), table(cases, run_id="two"), run("other", 0.5, cases=10, n=2)]
    (found,) = rank_runs(twins).suspicions
    assert found.message.startswith("one and two hold the same samples")
    path = tmp_path / "c.csv"
    rows = [f"{name},t{i},8,{i % 7 + (name == 'c')}" for name in "abc" for i in range(30)]
    path.write_text("system,task_id,n,c\n" + "\n".join(rows) + "\n")
    (counted,) = rank_runs(list(read_counts(path).values())).suspicions
    assert counted.message.startswith("a and b")
    assert "! a and b" in render_ranking(rank_runs(list(read_counts(path).values())))
