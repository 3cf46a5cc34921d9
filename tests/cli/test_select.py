import json
import random

import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import UsageError
from passband.records import Split, encode
from tests.stored import store_run

CASES = [f"c{i}" for i in range(60)]


@pytest.fixture
def evaluated(tmp_path):
    """Three checkpoints evaluated on everything, a split, and a rule."""
    for step, rate in ((100, 0.3), (200, 0.75), (300, 0.66)):
        rng = random.Random(step)
        store_run("s.db", f"step-{step}", {c: "".join("FP"[rng.random() < rate] for _ in range(8)) for c in CASES})
    parts = {"validation": tuple(CASES[:30]), "test": tuple(CASES[30:])}
    split = Split(suite="s", suite_version="v" * 64, by="variant", parts=parts)
    (tmp_path / "split.json").write_bytes(encode(split))
    (tmp_path / "selection.toml").write_text('split = "split.json"\nchoose = "best"\n')
    return split


def invoke(*arguments):
    return CliRunner().invoke(cli, [*arguments, "--store", "s.db"], standalone_mode=False)


def test_validation_chooses_and_test_is_reported_with_how_many_have_seen_it(evaluated):
    """The best on validation is chosen, its test number printed, and all three models are in the ledger."""
    result = invoke("select", "step-100", "step-200", "step-300")
    assert result.exception is None
    assert result.output.startswith("CHOSEN  step-200")
    assert "has seen 3 models" in result.output
    assert "reported before" not in result.output
    assert "No choice has touched" not in result.output
    assert "any made by what 3 models show on test has" in " ".join(result.output.split())
    again = invoke("select", "step-100", "step-200", "step-300")
    assert "reported before" in again.output
    data = json.loads(invoke("select", "step-100", "step-200", "--format", "json").output)
    assert data["models_seen"] == 3
    assert data["selection"]["chosen"] == "step-200"
    assert data["selection"]["test"]["n_tasks"] == 30


def test_the_first_that_can_not_be_told_apart_may_be_the_rule(evaluated, tmp_path):
    """`earliest-of-best` takes the first named of the set that holds the best."""
    (tmp_path / "selection.toml").write_text('split = "split.json"\nchoose = "earliest-of-best"\n')
    result = invoke("select", "step-100", "step-300", "step-200")
    assert result.output.startswith("CHOSEN  step-300")


def test_choosing_on_test_is_refused_until_it_is_owned_up_to(evaluated):
    """Without --i-know it is a usage error; with it, the report carries inflation and a wider interval."""
    refused = invoke("select", "step-100", "step-200", "--on-test")
    assert isinstance(refused.exception, UsageError)
    assert "--i-know" in str(refused.exception)
    result = invoke("select", "step-100", "step-200", "step-300", "--on-test", "--i-know", "--format", "json")
    found = json.loads(result.output)["selection"]
    assert found["test"] is None
    inflation = found["inflation"]
    assert 0 < inflation["expected"] <= inflation["expected_if_equal"]
    assert inflation["corrected"]["low"] < inflation["observed"]["low"]
    text = invoke("select", "step-100", "step-200", "step-300", "--on-test", "--i-know").output
    assert "CHOSEN ON TEST" in text
    assert "ON TEST" in invoke("ledger").output


def test_a_test_set_that_nobody_has_seen_is_run_once_for_the_chosen(evaluated):
    """Candidates evaluated on validation alone leave test unseen; the chosen subject's own test run is reported."""
    for step, rate in ((1, 0.3), (2, 0.8)):
        rng = random.Random(step)
        cases = {c: "".join("FP"[rng.random() < rate] for _ in range(8)) for c in CASES[:30]}
        store_run("t.db", f"v-{step}", cases, subject=f"model-{step}")
    args = ["select", "v-1", "v-2", "--store", "t.db"]
    waiting = CliRunner().invoke(cli, args, standalone_mode=False)
    assert waiting.return_value == 0
    assert "not evaluated yet" in waiting.output
    assert "has seen 0 models" in waiting.output
    store_run("t.db", "t-2", dict.fromkeys(CASES[30:], "PPPF"), subject="model-2")
    alone = CliRunner().invoke(cli, [*args, "--test", "t-2"], standalone_mode=False)
    assert "has seen 1 model\n" in alone.output
    assert "No choice has touched this number." in alone.output
    store_run("t.db", "t-1", dict.fromkeys(CASES[30:], "PPPF"), subject="model-1")
    done = CliRunner().invoke(cli, [*args, "--test", "t-2"], standalone_mode=False)
    assert done.return_value == 0
    assert "30 tasks of t-2" in done.output
    assert "No choice has touched" not in done.output
    assert "has seen 2 models" in done.output
    other = CliRunner().invoke(cli, [*args, "--test", "t-1"], standalone_mode=False)
    assert "the rule chose v-2" in str(other.exception)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('split = "split.json"\nchoose = "luckiest"\n', "luckiest"),
        ('split = "split.json"\nchoose = "best"\nvalidation = "test"\n', "one part"),
        ('split = "split.json"\n', "choose"),
        ("split = ", "selection.toml"),
    ],
)
def test_a_rule_that_is_none_is_refused(evaluated, tmp_path, text, match):
    """Unknown choices, one part for both ends, missing fields and broken TOML are usage errors."""
    (tmp_path / "selection.toml").write_text(text)
    result = invoke("select", "step-100", "step-200")
    assert isinstance(result.exception, UsageError)
    assert match in str(result.exception)


def test_a_changed_rule_has_another_digest(evaluated, tmp_path):
    """The digest follows the rule and the cases of both parts, not the file's layout."""
    from passband.compare import SelectionRule

    rule = SelectionRule(split="split.json", choose="best")
    other = SelectionRule(split="elsewhere.json", choose="best")
    changed = SelectionRule(split="split.json", choose="earliest-of-best")
    assert rule.digest(evaluated) == other.digest(evaluated) != changed.digest(evaluated)


def test_every_report_of_a_test_number_says_what_the_test_set_has_seen(evaluated, tmp_path):
    """Once a test set is known, comparisons and gates of runs that hold its cases print how many models it has seen."""
    before = invoke("compare", "step-100", "step-200")
    assert "has seen" not in before.output
    invoke("select", "step-100", "step-200")
    after = invoke("compare", "step-100", "step-200")
    assert "step-100 holds test cases of s" in after.output
    assert "which has seen 3 models in 3 evaluations" in " ".join(after.output.split())
    assert "which has seen 3 models" in " ".join(invoke("show", "step-100").output.split())
    (tmp_path / "gate.toml").write_text('[[rule]]\nkind = "floor"\nmin = 1\n')
    assert "which has seen 3 models" in " ".join(invoke("gate", "step-100").output.split())


def test_a_choice_that_errors_could_turn_exits_3_and_reports_nothing(evaluated):
    """An unsettled choice gives no test number, says so, exits with 3, and enters no report in the ledger."""
    for name, letters in (("half", "PPPPEEEE"), ("steady", "PPPPPPFF")):
        store_run("s.db", name, dict.fromkeys(CASES, letters))
    result = invoke("select", "half", "steady")
    assert result.return_value == 3
    assert result.output.startswith("NOT SETTLED  ")
    assert "reported" not in invoke("ledger").output
    data = json.loads(invoke("select", "half", "steady", "--format", "json").output)["selection"]
    assert (data["settled"], data["test"]) == (False, None)


def test_the_ledgers_of_all_stores_that_hold_the_runs_are_one(evaluated):
    """Models that evaluated test in the store of the reported run are counted, and both stores keep the report."""
    for step, rate in ((1, 0.3), (2, 0.8)):
        rng = random.Random(step)
        cases = {c: "".join("FP"[rng.random() < rate] for _ in range(8)) for c in CASES[:30]}
        store_run("v.db", f"v-{step}", cases, subject=f"model-{step}")
    for model in ("model-2", "model-3", "model-4"):
        store_run("t.db", f"t-{model}", dict.fromkeys(CASES[30:], "PPPF"), subject=model)
    words = ["select", "v-1", "v-2", "--test", "t.db#t-model-2"]
    done = CliRunner().invoke(cli, [*words, "--store", "v.db"], standalone_mode=False)
    assert done.return_value == 0, done
    assert "has seen 3 models" in done.output
    for store in ("v.db", "t.db"):
        kept = json.loads(CliRunner().invoke(cli, ["ledger", "--store", store, "--format", "json"]).output)
        assert [entry["run_id"] for entry in kept if entry["event"] == "reported"] == ["t-model-2"]
    again = CliRunner().invoke(cli, [*words, "--store", "v.db", "--format", "json"], standalone_mode=False)
    assert len(json.loads(again.output)["reported_before"]) == 1
