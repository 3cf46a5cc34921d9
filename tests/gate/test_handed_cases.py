"""Public bug reports about counting, errors and gates: the product gives the right answer to each."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from passband.aggregate import read_counts, summarize
from passband.cli.app import cli
from passband.compare import compare_runs
from passband.errors import DataError
from passband.gate import CaseFloor, Floor, Policy, decide
from passband.report import render_summary
from tests.tables import table

DATA = Path(__file__).parents[2] / "../shared/data"


def passk_n_lt_k(given):
    """No pass@k for k > n; none that is 1 without a pass; 0 of 4 gives exactly 0 at k = 4."""
    for entry in given["estimate_pass_at_k"]:
        n, c, k = entry["n"], entry["c"], entry["k"]
        found = summarize(table({"t": "P" * c + "F" * (n - c)})).pass_at_k
        if k > n:
            assert k not in found
            assert max(found) == n
        elif c == 0:
            assert found[k].value == 0.0


def errors_dropped(given):
    """Errored samples leave neither report nor bounds: graded, scheduled, worst and best are all there."""
    rows = [(given["inspect_3781"]["total"], given["inspect_3781"]["correct"], given["inspect_3781"]["errored"])]
    rows += [(entry["total"], entry["correct"], entry["errored"]) for entry in given["inspect_2914"]]
    promptfoo, tau = given["promptfoo_6343"], given["tau2_493"]
    rows.append((sum(promptfoo.values()), promptfoo["passes"], promptfoo["errors"]))
    rows.append((tau["configured"], tau["success"], tau["infra_error"]))
    scheduled_rates = []
    for total, correct, errored in rows:
        made = table({f"t{i}": "P" if i < correct else "E" if i < correct + errored else "F" for i in range(total)})
        summary = summarize(made)
        errors = summary.errors
        scheduled_rates.append(errors.pass_rate_over_scheduled)
        assert (errors.scheduled, errors.errored) == (total, errored)
        assert summary.pass_at_1.value == pytest.approx(correct / (total - errored))
        assert (errors.worst, errors.best) == pytest.approx((correct / total, (correct + errored) / total))
        if errored:
            text = render_summary(summary)
            assert f"{errored} of {total}, not scored" in text
            assert f"{100 * correct / total:.1f} to {100 * (correct + errored) / total:.1f} whatever they were" in text
    assert scheduled_rates == pytest.approx([0.8, 0.25, 0.25, 0.2, 0.25])


def mcnemar_tie(given):
    """Equal totals are p = 1; 38 against 20 discordant pairs are exact p .0247, mid-p .0183."""
    n = given["n"]

    def systems(b, c):
        both = given["rank1"] - b
        one = "P" * both + "P" * b + "F" * c + "F" * (n - both - b - c)
        two = "P" * both + "F" * b + "P" * c + "F" * (n - both - b - c)
        return [table({f"t{i}": letter for i, letter in enumerate(text)}) for text in (one, two)]

    tie = compare_runs(*systems(18, 18))
    assert tie.difference.sign_flip_p == 1.0
    assert tie.difference.mcnemar_mid_p == 1.0
    assert tie.difference.p_value == pytest.approx(1.0)
    assert tie.verdict == "unclear"
    ninth = compare_runs(*systems(38, 20))
    assert round(n * ninth.rates[1]) == given["rank9"]
    assert ninth.difference.sign_flip_p == pytest.approx(0.0247, abs=5e-5)
    assert ninth.difference.mcnemar_mid_p == pytest.approx(0.0183, abs=5e-5)


def zero_successes(given):
    """No pass in 25 is not a rate of exactly nothing: the interval reaches Clopper and Pearson's at least near."""
    summary = summarize(table({f"t{i}": "F" for i in range(given["n"])}))
    assert summary.pass_at_1.low == 0.0
    assert 0.12 < summary.pass_at_1.high < 0.2
    assert "[0.0, 0.0]" not in render_summary(summary)


def partial_rewards_int(given):
    """Half a reward is no success: not as a sample, and counts that hold halves are refused."""
    made = table({"t": "FF"})
    for i, reward in enumerate(given["rewards"]):
        made.score[i] = reward
    assert summarize(made).pass_at_1.value == 0.0
    Path("c.csv").write_text(f"task_id,n,c\nt,2,{given['rewards'][0]}\n")
    with pytest.raises(DataError, match="partial reward is no success"):
        read_counts(Path("c.csv"))


def aggregate_hides_task(given):
    """One test that always fails shows under a mean of 98%, and a per-case gate fails on it."""
    made = table({f"t{i}": "P" * c + "F" * (given["repeats"] - c) for i, c in enumerate(given["passes"])})
    summary = summarize(made)
    assert summary.pass_at_1.value == pytest.approx(0.98)
    assert summary.pass_hat_k[10].value == pytest.approx(0.98)
    assert "1 never" in render_summary(summary)
    report = decide(Policy(rule=(Floor(min=80), CaseFloor(min=80))), made)
    assert [rule.outcome for rule in report.rules] == ["pass", "pass", "fail"]
    assert report.exit_code == 1
    ten = table({f"g{i}": "PP" if i else "FF" for i in range(10)})
    assert summarize(ten).pass_hat_k[2].value == pytest.approx(0.9)


def unequal_task_sets(_given):
    """Systems are compared on the tasks they share, and the others are counted and named."""
    path = DATA / "outcomes/swebench_pro.csv"
    found = compare_runs(
        *(read_counts(path, name)[name] for name in ("claude-opus-4-1-paper", "claude-sonnet-4-paper"))
    )
    assert (found.n_shared, len(found.only_baseline), len(found.only_candidate)) == (663, 228, 0)
    assert [round(100 * rate, 1) for rate in found.rates] == [24.4, 25.0]
    assert (found.difference.n_worse, found.difference.n_better) == (10, 14)
    assert found.difference.sign_flip_p == pytest.approx(0.54, abs=0.005)
    newer = compare_runs(
        *(read_counts(path, name)[name] for name in ("claude-4sonnet-10132025", "claude-45sonnet-10132025"))
    )
    assert newer.n_shared == 562
    assert [round(100 * rate, 1) for rate in newer.rates] == [42.7, 44.8]
    assert newer.difference.sign_flip_p == pytest.approx(0.285, abs=0.0005)
    result = CliRunner().invoke(cli, ["compare", str(path)], standalone_mode=False)
    assert "418 tasks shared by all, of 970 that any has" in result.output


CHECKS = {
    "passk-n-lt-k": passk_n_lt_k,
    "errors-dropped": errors_dropped,
    "mcnemar-tie": mcnemar_tie,
    "zero-successes": zero_successes,
    "partial-rewards-int": partial_rewards_int,
    "aggregate-hides-task": aggregate_hides_task,
    "unequal-task-sets": unequal_task_sets,
}


def test_the_right_answer_comes_out():
    """Every handed case about counting, errors and gates that lies beside the checkout gets its right answer."""
    handed = DATA / "cases/cases.jsonl"
    rows = [json.loads(line) for line in handed.read_text().splitlines() if line] if handed.is_file() else []
    known = [row for row in rows if row["id"] in CHECKS]
    assert len(known) == (len(CHECKS) if rows else 0)
    for row in known:
        CHECKS[row["id"]](row["input"])
