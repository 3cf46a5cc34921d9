import dataclasses
import random
from array import array

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.aggregate import COUNTED, read_counts
from passband.compare.pairing import grid
from passband.errors import DataError, UsageError
from passband.gate import CaseFloor, Floor, InfraErrors, NoLostCase, NoWorse, Policy, PolicyError, Power, decide
from tests.gate.policies import policy
from tests.tables import HARNESS, table


def run(name, rate, *, cases=40, n=8, slices=None):
    """A run whose samples pass with one probability."""
    rng = random.Random(f"{name}{rate}")
    made = {f"c{i}": "".join("FP"[rng.random() < rate] for _ in range(n)) for i in range(cases)}
    return table(made, run_id=name, slices=slices)


def outcomes(report):
    return {rule.kind: rule.outcome for rule in report.rules}


LETTERS = st.text("PFE", min_size=4, max_size=4)


@st.composite
def two_runs(draw):
    """Two runs over the same few cases, something graded in each."""
    names = [f"c{i}" for i in range(draw(st.integers(1, 10)))]
    made = [{name: draw(LETTERS) for name in names} | {"last": "PFPF"} for _ in range(2)]
    return table(made[0], run_id="a"), table(made[1], run_id="b")


@settings(max_examples=150, deadline=None)
@given(two_runs(), st.integers(0, 99), st.integers(0, 100))
def test_outcome_interval_and_exit_code_never_disagree(runs, margin, least):
    """Each rule's outcome is what its interval says, and the gate's is the worst of its deciding rules."""
    rules = (NoWorse(margin=margin), Floor(min=least), NoWorse(margin=margin, advisory=True, metric="pass^1"))
    report = decide(Policy(rule=rules), runs[1], runs[0])
    assert report.level_each == pytest.approx(0.975)
    for rule in report.rules[1:]:
        low, high = rule.estimate.low, rule.estimate.high
        strict = rule.kind == "no_worse"
        good = low is not None and (low > rule.threshold if strict else low >= rule.threshold)
        bad = high is not None and high < rule.threshold
        expected = "pass" if good else "fail" if bad else "inconclusive"
        taken_back = "could turn it" in rule.reason
        assert rule.outcome == ("inconclusive" if taken_back else expected)
        assert not taken_back or (expected != "inconclusive" and any(-1 in grid(run) for run in runs))
        assert (rule.needs is None) or rule.outcome == "inconclusive"
    deciding = [rule.outcome for rule in report.rules if not rule.advisory]
    expected = "fail" if "fail" in deciding else "inconclusive" if "inconclusive" in deciding else "pass"
    assert report.outcome == expected
    assert report.exit_code == {"pass": 0, "fail": 1, "inconclusive": 3}[expected]


def test_a_safety_violation_vetoes_whatever_the_rates():
    """One sample that touches what is forbidden fails a gate whose only rule holds, without being in the policy."""
    cases = {f"c{i}": "PPPPPPPP" for i in range(20)} | {"bad": "PPPPPPPS"}
    report = decide(Policy(rule=(Floor(min=10),)), table(cases))
    assert outcomes(report) == {"safety": "fail", "floor": "pass"}
    assert report.exit_code == 1
    assert report.rules[0].cases[0].id == "bad"


def test_an_advisory_rule_never_decides_and_costs_the_others_nothing():
    """Advisory rules are shown, do not decide, and take no share of the error."""
    rules = (Floor(min=10), Floor(min=99, advisory=True))
    report = decide(Policy(rule=rules), run("r", 0.5))
    assert [rule.outcome for rule in report.rules] == ["pass", "pass", "fail"]
    assert report.outcome == "pass"
    assert report.level_each == 0.95


def test_a_slice_rule_is_a_rule_for_each_value():
    """`slice = "kind"` holds every value of the slice, and they share the error."""
    slices = {f"c{i}": {"kind": "even" if i % 2 == 0 else "odd"} for i in range(40)}
    report = decide(Policy(rule=(Floor(min=20, slice="kind"),)), run("r", 0.5, slices=slices))
    assert [rule.title for rule in report.rules[1:]] == [
        "kind=even: pass@1 at least 20%",
        "kind=odd: pass@1 at least 20%",
    ]
    assert report.level_each == pytest.approx(0.975)
    one = decide(Policy(rule=(Floor(min=20, slice="kind=odd"),)), run("r", 0.5, slices=slices))
    assert len(one.rules) == 2
    with pytest.raises(UsageError, match="no slice 'sort'.*there are: kind"):
        decide(Policy(rule=(Floor(min=20, slice="sort"),)), run("r", 0.5, slices=slices))
    with pytest.raises(UsageError, match="no value 'od'"):
        decide(Policy(rule=(Floor(min=20, slice="kind=od"),)), run("r", 0.5, slices=slices))


def test_a_lost_case_fails_where_chance_can_not_have_lost_it():
    """8 of 8 to 0 of 8 is no accident among 40 cases; 1 of 1 to 0 of 1 may well be, and says what it would take."""
    base = {f"c{i}": "PFPFPFPF" for i in range(39)} | {"lost": "PPPPPPPP"}
    cand = base | {"lost": "FFFFFFFF"}
    report = decide(Policy(rule=(NoLostCase(),)), table(cand), table(base))
    assert outcomes(report)["no_lost_case"] == "fail"
    assert report.rules[1].cases[0].id == "lost"
    single = decide(
        Policy(rule=(NoLostCase(),)),
        table({k: v[0] for k, v in cand.items()}),
        table({k: v[0] for k, v in base.items()}),
    )
    assert outcomes(single)["no_lost_case"] == "inconclusive"
    assert 0.25 ** single.rules[1].needs.samples * 40 <= 0.05


def test_one_broken_case_does_not_hide_in_the_mean():
    """49 tests at 10 of 10 and one at 0 of 10: 98% passes a floor of 80, and the per-case floor fails."""
    cases = {f"t{i}": "P" * 10 for i in range(49)} | {"broken": "F" * 10}
    report = decide(Policy(rule=(Floor(min=80), CaseFloor(min=80))), table(cases))
    assert outcomes(report) == {"safety": "pass", "floor": "pass", "case_floor": "fail"}
    assert report.exit_code == 1
    assert report.rules[2].cases[0].id == "broken"


def test_infra_errors_are_held_to_a_ceiling():
    """Samples without a verdict count over all scheduled ones."""
    cases = {f"c{i}": "PPPE" if i < 5 else "PPPP" for i in range(20)}
    rule = decide(Policy(rule=(InfraErrors(max=6),)), table(cases)).rules[1]
    assert (rule.outcome, rule.number) == ("fail", "6.2%")
    assert decide(Policy(rule=(InfraErrors(max=6.25),)), table(cases)).outcome == "pass"


def test_too_little_power_neither_passes_nor_fails():
    """A comparison that could not have found the loss is inconclusive, and says how many tasks it would take."""
    a, b = run("a", 0.5, cases=10, n=2), run("b", 0.5, cases=10, n=2)
    report = decide(Policy(rule=(Power(detect=2),)), b, a)
    assert report.outcome == "inconclusive"
    assert report.rules[1].needs.tasks > 10
    assert decide(Policy(rule=(Power(detect=90),)), b, a).outcome == "pass"
    beyond = decide(Policy(rule=(Power(detect=0.0001),)), b, a).rules[1]
    assert (beyond.outcome, beyond.needs.tasks) == ("inconclusive", None)


def test_no_margin_is_held_at_several_tries_by_tasks_that_all_gave_nothing():
    """Of cases that all fail, all but one sample on the other side, pass^4 shows no difference and proves none."""
    none = dict.fromkeys([f"c{i}" for i in range(35)], "FFFFFFFF")
    base = none | {"c0": "PFFFFFFF"}
    for metric in ("pass@4", "pass^4"):
        report = decide(Policy(rule=(NoWorse(margin=1, metric=metric),)), table(none), table(base))
        assert report.outcome == "inconclusive", metric


def test_missing_verdicts_are_set_against_the_candidate_and_for_it():
    """A rule says whether samples without a verdict could turn it; without such samples it says nothing."""
    few = {f"c{i}": "PPPPPPPP" for i in range(39)} | {"c39": "PPPPPPPE"}
    held = decide(Policy(rule=(Floor(min=50), NoWorse(margin=10))), table(few), table(few))
    assert [rule.sensitivity for rule in held.rules[1:]] == [
        "1 sample has no verdict: the outcome holds whatever they were",
        "2 samples have no verdict: the outcome holds whatever they were",
    ]
    many = {f"c{i}": "PPPPEEEE" for i in range(40)}
    (_, turned) = decide(Policy(rule=(Floor(min=80),)), table(many)).rules
    assert turned.outcome == "inconclusive"
    assert "could turn it: 50.0 to 100.0" in turned.reason
    assert turned.needs is None
    assert (
        turned.sensitivity == "160 samples have no verdict: fail if all went against the candidate, pass if all for it"
    )
    assert decide(Policy(rule=(Floor(min=80),)), table(dict.fromkeys(many, "PPPP"))).rules[1].sensitivity == ""


def test_what_errors_could_turn_is_not_passed_and_not_failed():
    """Neither a difference, a floor, a case's floor nor a lost case is decided where missing verdicts could turn it."""
    base = {f"c{i}": "FFFF" if i < 10 else "PPPP" for i in range(40)}
    cand = {f"c{i}": "PPPP" if i < 10 else "EEEE" for i in range(40)}
    rules = (NoWorse(margin=2), NoWorse(margin=2, metric="pass^2"), Floor(min=50), CaseFloor(min=50), NoLostCase())
    report = decide(Policy(rule=rules), table(cand), table(base))
    assert [rule.outcome for rule in report.rules[1:]] == ["inconclusive"] * 5
    assert report.rules[1].estimate.value == 1.0
    assert "could turn it: -50.0 to +100.0" in report.rules[1].reason
    failing = decide(Policy(rule=(Floor(min=50), CaseFloor(min=50))), table({f"c{i}": "FFFFEEEEE" for i in range(40)}))
    assert [rule.outcome for rule in failing.rules[1:]] == ["inconclusive"] * 2


def test_nothing_is_advised_where_the_pilot_can_not_tell():
    """A run against itself shows no spread: it plans nothing, and never the tasks that are there already."""
    same = table({f"c{i}": "PPPFFFFFFF" for i in range(30)})
    rule = decide(Policy(rule=(NoWorse(margin=1),)), same, same).rules[1]
    assert (rule.outcome, rule.needs) == ("inconclusive", None)
    rng = random.Random(5)
    for _ in range(20):
        a, b = (table({f"c{i}": "".join(rng.choice("FP") for _ in range(4)) for i in range(12)}) for _ in range(2))
        for found in decide(Policy(rule=(NoWorse(margin=5), Floor(min=40))), b, a).rules:
            if found.needs is not None:
                assert found.needs.tasks is None or found.needs.tasks > found.needs.n_tasks
                assert found.needs.samples is None or found.needs.samples > found.needs.n_samples


def test_cost_ceilings(tmp_path):
    """A price is held to a ceiling and to the baseline's; where a price is unknown nothing is decided."""
    cheap, dear = run("a", 0.5, cases=4), run("b", 0.5, cases=4)
    cheap = dataclasses.replace(cheap, cost_usd=array("d", [0.01] * len(cheap)))
    dear = dataclasses.replace(dear, cost_usd=array("d", [0.02] * len(dear)))
    ceiling = policy(tmp_path, '[[rule]]\nkind = "cost"\nmax_usd = 0.015\n')
    growth = policy(tmp_path, '[[rule]]\nkind = "cost"\nmax_increase = 50\n')
    assert decide(ceiling, cheap).outcome == "pass"
    assert decide(ceiling, dear).outcome == "fail"
    assert decide(growth, dear, cheap).outcome == "fail"
    assert decide(growth, cheap, dear).outcome == "pass"
    assert decide(ceiling, run("c", 0.5, cases=4)).outcome == "inconclusive"


def test_flaky_cases_are_counted(tmp_path):
    """Equal answers with different verdicts are a flake of ours, held to a ceiling."""
    rule = policy(tmp_path, '[[rule]]\nkind = "flaky_cases"\nmax = 0\n')
    assert decide(rule, table({"x": "P1F1", "y": "P1F2"})).outcome == "fail"
    assert decide(rule, table({"x": "P1P1", "y": "P1F2"})).outcome == "pass"
    of_counts = table({"x": "PP", "y": "PF"}, harness=msgspec.structs.replace(HARNESS, grader=COUNTED))
    assert decide(rule, of_counts).outcome == "inconclusive"


def test_what_can_not_be_decided_on_is_refused():
    """Part of a run, no baseline where one is needed, other harnesses, nothing graded: errors, not outcomes."""
    with pytest.raises(DataError, match="not drawn yet"):
        decide(Policy(rule=(Floor(min=1),)), table({"x": "PP", "y": "P-"}))
    with pytest.raises(UsageError, match="give --baseline"):
        decide(Policy(rule=(NoWorse(margin=1),)), table({"x": "PP"}))
    with pytest.raises(DataError, match="no sample of the run was graded"):
        decide(Policy(rule=(Floor(min=1),)), table({"x": "EE"}))
    other = table({"x": "PP"}, harness=msgspec.structs.replace(HARNESS, grader="g@2"))
    with pytest.raises(UsageError, match="differ in grader"):
        decide(Policy(rule=(NoWorse(margin=1),)), other, table({"x": "PP"}))
    allowed = decide(Policy(rule=(NoWorse(margin=1),), allow=("grader",)), other, table({"x": "PP"}))
    assert "grader" in allowed.notes[0]


def test_k_beyond_the_samples_is_inconclusive_and_says_why():
    """pass@16 of 8 samples can't be estimated: no number, no guess."""
    report = decide(Policy(rule=(Floor(min=1, metric="pass@16"),)), run("r", 0.5))
    assert report.outcome == "inconclusive"
    assert "needs 16 samples" in report.rules[1].reason


def gate_once(rng, loss, *, rules, cases=100, n=8):
    """One release: tasks of varied difficulty, a candidate worse by `loss` on average."""
    p = [rng.betavariate(1, 1) for _ in range(cases)]
    base = {f"c{i}": "".join("FP"[rng.random() < q] for _ in range(n)) for i, q in enumerate(p)}
    cand = {
        f"c{i}": "".join("FP"[rng.random() < q - 2 * loss * min(q, 1 - q) / 0.5] for _ in range(n))
        for i, q in enumerate(p)
    }
    slices = {f"c{i}": {"kind": "abcd"[i % 4]} for i in range(cases)}
    cand_table, base_table = table(cand, run_id="cand", slices=slices), table(base, run_id="base", slices=slices)
    base_table = dataclasses.replace(base_table, header=msgspec.structs.replace(base_table.header, seed=1))
    return decide(Policy(rule=rules), cand_table, base_table).outcome


@pytest.mark.slow
def test_an_unchanged_candidate_seldom_fails():
    """A gate of seven deciding checks with no margin at all fails an unchanged candidate in at most 5% of 1,000."""
    rng = random.Random(11)
    rules = (NoWorse(margin=0), NoWorse(margin=0, slice="kind"), NoLostCase())
    failed = sum(gate_once(rng, 0.0, rules=rules) == "fail" for _ in range(1000))
    assert failed / 1000 <= 0.05


@pytest.mark.slow
def test_a_planned_loss_is_found_as_often_as_planned():
    """A loss of the size that the design detects with power 0.8 fails the gate at least that often."""
    from passband.stats import minimum_detectable_effect

    # Per-task SD of the difference: two binomial means of 8 samples of p ~ U(0, 1) have variance 2 · (1/6) / 8, and a
    # loss that varies with p by at most a few points adds next to nothing.
    spread = (2 / 6 / 8) ** 0.5 * 1.05
    loss = float(minimum_detectable_effect(100, spread, 0.05, 0.8, method="t"))
    rng = random.Random(12)
    failed = sum(gate_once(rng, loss, rules=(NoWorse(margin=0),)) == "fail" for _ in range(1500))
    assert failed / 1500 >= 0.8


def test_counts_neither_hold_nor_break_the_safety_veto(tmp_path):
    """Counts do not record what a sample touched: the veto is not applicable, and the other rules alone decide."""
    path = tmp_path / "counts.csv"
    path.write_text("task_id,n,c\n" + "".join(f"t{i},8,8\n" for i in range(20)))
    (counted,) = read_counts(path).values()
    for least, outcome in ((50, "pass"), (100, "inconclusive")):
        report = decide(Policy(rule=(Floor(min=least),)), counted)
        assert outcomes(report) == {"safety": "not_applicable", "floor": outcome}
        assert report.outcome == outcome
        assert report.rules[0].number == "–"


def test_a_policy_of_advice_alone_is_refused():
    """A policy that nothing can fail opens the gate to anything: no decision is made by it."""
    with pytest.raises(PolicyError, match="rules: no rule decides: every one is advisory") as caught:
        decide(Policy(name="rules", rule=(Floor(min=10, advisory=True),)), run("r", 0.5))
    assert caught.value.exit_code == 2


def test_a_policy_is_told_of_in_its_own_terms():
    """What a policy allows, or names wrongly, is mended in the policy: no option of another command is offered."""
    one = table({"x": "PP"})
    other = table({"x": "PP"}, run_id="other", harness=msgspec.structs.replace(HARNESS, grader="another"))
    with pytest.raises(UsageError, match=r'allow = \["grader"\] in the policy') as blocked:
        decide(Policy(rule=(NoWorse(margin=1),)), one, other)
    assert "--allow" not in str(blocked.value)
    with pytest.raises(UsageError, match="policy .*: allow: .*nope"):
        decide(Policy(rule=(NoWorse(margin=1),), allow=("nope",)), one, table({"x": "PF"}, run_id="b"))
    with pytest.raises(UsageError, match="policy .*: slice: the run has no slice 'nope'"):
        decide(Policy(rule=(Floor(min=1, slice="nope"),)), one)
