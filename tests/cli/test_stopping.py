import dataclasses
import json
from pathlib import Path

import msgspec
import pytest

from passband.cli.stopping import UntilDecided, UntilWidth, table_bounds
from passband.errors import UsageError
from tests.tables import table

from .runner import passband

TASKS = 10


def rounds(rule, pattern, count):
    """Give a rule rounds in which every task has the next letter of a pattern; return where it stopped, and why."""
    for number in range(count):
        letter = pattern[number % len(pattern)]
        wanted = rule.next_round()
        counts = [[w * (letter == kind) for w in wanted] for kind in "PFE"]
        if reason := rule.add_round(*counts):
            return number, reason
    return None


def test_the_width_rule():
    """The rule stops when the interval is narrow enough, sooner for a rate near 1, and errors widen it."""
    assert rounds(UntilWidth(0.1, TASKS), "PF", 5) is None
    number, reason = rounds(UntilWidth(0.1, TASKS), "PF", 1000)
    assert "within 10 points" in reason
    assert rounds(UntilWidth(0.1, TASKS), "P", 1000)[0] < number
    assert rounds(UntilWidth(0.1, TASKS), "PFPFPFPFE", 1000) is None


def base(passes, n=100):
    """Make a complete baseline of ten tasks, its passes spread over the rounds."""
    letters = "".join("P" if (i + 1) * passes // n > i * passes // n else "F" for i in range(n))
    return table({f"c{i}": letters for i in range(TASKS)}, run_id="base")


def test_the_decision_rule():
    """Clearly worse and clearly not worse are decided, a difference near the margin is not."""
    assert "worse than base by more than 2 points" in rounds(UntilDecided(0.02, base(60), TASKS), "PFF", 100)[1]
    assert "not worse than base by 2 points" in rounds(UntilDecided(0.02, base(60), TASKS), "P", 100)[1]
    assert rounds(UntilDecided(0.02, base(60), TASKS), "PFPFP", 100) is None


def test_a_baseline_is_complete():
    """A baseline with samples missing has no whole rounds to rest on; one with errors has wider bounds."""
    with pytest.raises(UsageError, match="not complete"):
        UntilDecided(0.02, table({"a": "PF", "b": "P-"}), 2)
    with pytest.raises(UsageError, match="ended early"):
        UntilDecided(0.02, dataclasses.replace(table({"a": "PF", "b": "PF"}), enough="narrow"), 2)
    low, high = table_bounds(table({"a": "PF" * 40, "b": "PF" * 40}), 0.95)
    torn_low, torn_high = table_bounds(table({"a": "PFEF" * 20, "b": "PFPE" * 20}), 0.95)
    assert 0 < torn_low < low < 0.5 < high < torn_high < 1


def test_a_run_stops_by_itself(tmp_path):
    """From the command line, a run ends early with its reason and code 0, and says how many samples it took."""
    lines = [
        json.dumps({"id": f"c{i}", "inputs": {}, "reference": "1", "grader_spec": {"kind": "exact_match"}})
        for i in range(40)
    ]
    Path("suite.jsonl").write_text("\n".join(lines) + "\n")
    Path("agent.py").write_text("def one(view, seed): return '1'\ndef none(view, seed): return '0'\n")

    def run(function, *more):
        return passband(
            *("run", "suite.jsonl", "--subject", f"python:agent:{function}", "--unsafe", "--format", "json"), *more
        )

    done = run("one", "-n", "50", "--until-width", "0.05")
    assert done.code == 0, done.err
    assert "within 5 points" in done.err
    summary = json.loads(done.out)
    drawn = summary["errors"]["scheduled"]
    assert 0 < drawn < 400
    assert drawn % 40 == 0
    assert summary["errors"]["missing"] == 0
    assert "within 5 points" in summary["enough"]
    shown = passband("show", "latest").out
    assert shown.startswith("DONE")
    assert "its rule ended the run early" in shown
    assert "--resume" not in shown
    assert passband("runs").out.splitlines()[-1].split()[-1] == str(drawn)
    base = json.loads(run("one", "-n", "4", "--seed", "1").out)["run_id"]
    assert "not drawn" not in passband("compare", base, summary["run_id"]).out
    worse = run("none", "-n", "50", "--until-decided", "0.02", "--baseline", base)
    assert worse.code == 0, worse.err
    assert "decided: worse" in worse.err
    assert run("one", "--until-decided", "0.02").code == 2
    assert run("one", "--until-width", "0").code == 2


def test_runs_of_two_harnesses_are_not_decided_between(tmp_path):
    """A baseline of another suite or harness is refused before anything is drawn."""
    baseline = base(60)
    rule = UntilDecided(0.02, baseline, TASKS)
    rule.check(baseline.header)
    other = msgspec.structs.replace(baseline.header.harness, suite_version="another")
    with pytest.raises(UsageError, match="harnesses differ in suite_version"):
        rule.check(msgspec.structs.replace(baseline.header, harness=other))
