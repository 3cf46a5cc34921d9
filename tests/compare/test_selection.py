import numpy as np
import pytest

from passband.compare import SelectionRule, select_run
from passband.errors import DataError, UsageError
from passband.records import Split
from passband.report import render_selection
from tests.tables import table

CASES = [f"c{i}" for i in range(80)]
SPLIT = Split(
    suite="s",
    suite_version="v",
    by="variant",
    parts={"validation": tuple(CASES[:40]), "test": tuple(CASES[40:])},
)
RULE = SelectionRule(split="split.json", choose="best")


def run(name, counts, n=4):
    return table({c: "P" * k + "F" * (n - k) for c, k in zip(CASES, counts, strict=False)}, run_id=name)


def test_too_little_to_choose_by_is_refused():
    """One candidate, candidates without cases of the part, or a part that is not there: errors."""
    with pytest.raises(UsageError, match="nothing to choose"):
        select_run([run("a", [1] * 80)], RULE, SPLIT)
    with pytest.raises(DataError, match="share no case of the part 'validation'"):
        select_run([table({"x": "P"}, run_id="a"), table({"x": "P"}, run_id="b")], RULE, SPLIT)
    with pytest.raises(DataError, match="no part 'dev'"):
        select_run([run("a", [1] * 80)] * 2, SelectionRule(split="", choose="best", validation="dev"), SPLIT)


def test_errors_of_every_candidate_are_counted_and_bounded():
    """What errored on the part that chooses is counted, bounded with whole cases in, and said to turn the choice."""
    a = run("a", [3] * 80)
    b = table({case: "PPFF" if i < 30 else "EEEE" for i, case in enumerate(CASES)}, run_id="b")
    found = select_run([a, b], RULE, SPLIT)
    one, two = found.candidates
    assert (one.errored, one.drawn, one.bounds) == (0, 160, (0.75, 0.75))
    assert (two.errored, two.drawn) == (40, 160)
    assert two.bounds == (pytest.approx(15 / 40), pytest.approx(25 / 40))
    text = render_selection(found, seen=1, reports=[])
    assert "40 of 160  37.5 to 62.5" in text
    assert text.startswith("CHOSEN  a by the rule 'best' on validation")
    assert "every other one is told apart from the best" in text
    assert "has seen 1 model\n" in text
    same = render_selection(select_run([a, run("d", [3] * 80), b], RULE, SPLIT), seen=2, reports=[])
    assert "1 of the 2 others can't be told apart" in " ".join(same.split())


def test_a_choice_that_errors_could_turn_is_not_settled():
    """No choice is named as settled, and no test number given, where missing verdicts could make it another."""
    a, c = run("a", [3] * 80), table(dict.fromkeys(CASES, "PPEE"), run_id="c")
    for runs in ([a, c], [c, a]):
        found = select_run(runs, RULE, SPLIT)
        assert not found.settled
        assert found.test is None
        assert select_run(runs, RULE, SPLIT, on_test=True).inflation is None
        text = render_selection(found, seen=2, reports=[])
        assert text.startswith("NOT SETTLED  ")
        assert "no number" in text
    few = table({case: "PPPF" if i else "PPPE" for i, case in enumerate(CASES)}, run_id="few")
    assert select_run([few, run("b", [0] * 80)], RULE, SPLIT).settled


def test_the_earliest_of_the_best_is_settled_only_if_errors_leave_the_set_alone():
    """An earlier run that only its errors could bring among the best keeps a later one from being settled."""
    rule = SelectionRule(split="split.json", choose="earliest-of-best")
    best = run("best", [3] * 80)
    early = table(dict.fromkeys(CASES, "FFEE"), run_id="early")
    found = select_run([early, best], rule, SPLIT)
    assert (found.chosen, found.settled) == ("best", True)
    hidden = table(dict.fromkeys(CASES, "FEEE"), run_id="hidden")
    found = select_run([hidden, best], rule, SPLIT)
    assert (found.chosen, found.settled) == ("hidden", False)


def test_the_test_part_plays_no_role_in_the_choice():
    """Whatever the test counts are, the choice is that of validation and the number that of test."""
    a, b = run("a", [3] * 40 + [0] * 40), run("b", [1] * 40 + [4] * 40)
    found = select_run([a, b], RULE, SPLIT)
    assert found.chosen == "a"
    assert found.test.value == 0.0


@pytest.mark.slow
def test_coverage_after_choosing_on_validation_and_on_test():
    """Over 1,000 selections among eight checkpoints, both the honest and the corrected interval cover in 94%."""
    rng = np.random.default_rng(9)
    covered = {"test": 0, "corrected": 0, "observed": 0}
    for _ in range(1000):
        task = rng.beta(0.8, 0.8, 80)
        skill = rng.normal(0, 0.01, 8)
        p = np.clip(task + skill[:, None], 0, 1)
        # The population mean of each checkpoint's rate, by quadrature of the same law.
        grid = np.linspace(0.0005, 0.9995, 1000)
        weights = (grid * (1 - grid)) ** -0.2
        truth = [(np.clip(grid + s, 0, 1) * weights).sum() / weights.sum() for s in skill]
        runs = [run(str(i), rng.binomial(4, p[i])) for i in range(8)]
        honest = select_run(runs, RULE, SPLIT)
        covered["test"] += honest.test.low <= truth[int(honest.chosen)] <= honest.test.high
        owned = select_run(runs, RULE, SPLIT, on_test=True)
        for name in ("corrected", "observed"):
            estimate = getattr(owned.inflation, name)
            covered[name] += estimate.low <= truth[int(owned.chosen)] <= estimate.high
    assert covered["test"] >= 940
    assert covered["corrected"] >= 940
    assert covered["observed"] < covered["corrected"]
