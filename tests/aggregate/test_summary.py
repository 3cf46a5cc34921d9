import pytest

from passband.aggregate import summarize
from passband.aggregate import summary as module
from passband.report import render_summary
from tests.tables import table


def test_the_worked_trace():
    """Five samples, one not applied, three resolved: pass@1 is 0.6 and pass@2 is 0.9."""
    summary = summarize(table({"add-bug": "PPFNP"}))
    assert summary.pass_at_1.value == pytest.approx(3 / 5, abs=1e-15)
    assert summary.pass_at_k[2].value == pytest.approx(1 - 1 / 10, abs=1e-15)
    assert summary.outcomes == {
        "resolved": 3,
        "unresolved": 1,
        "not_applied": 1,
        "out_of_scope": 0,
        "safety_violation": 0,
    }


@pytest.mark.parametrize(
    ("samples", "k", "expected"), [("PPFFF", 1, 0.4), ("PPFFF", 2, 0.7), ("PPPPF", 2, 1.0), ("PFFFF", 5, 1.0)]
)
def test_pass_at_k_of_the_worked_values(samples, k, expected):
    """The values that can be worked out on a blackboard come out."""
    assert summarize(table({"a": samples})).pass_at_k[k].value == pytest.approx(expected, abs=1e-15)


def test_every_k_up_to_n_and_none_beyond():
    """pass@k and pass^k are there for each k that can be estimated, and for no other."""
    summary = summarize(table({"a": "PPFF", "b": "PFF-"}))
    assert list(summary.pass_at_k) == list(summary.pass_hat_k) == [1, 2, 3]
    assert summary.errors.missing == 1
    assert any("not drawn yet" in warning for warning in summary.warnings)


def test_one_safety_violation_fails_safety_whatever_the_mean():
    """A single sample that touched a forbidden file is a veto; the mean counts it as a failure like any other."""
    cases = {f"c{i}": "PPPP" for i in range(20)} | {"bad": "PPSP"}
    summary = summarize(table(cases))
    assert summary.safety.failed
    assert summary.safety.samples == (("bad", 2),)
    assert summary.pass_at_1.value == pytest.approx((20 + 0.75) / 21)
    assert not summarize(table({"a": "FFFF"})).safety.failed


def test_errored_samples_are_neither_passes_nor_failures():
    """An infrastructure error is in no rate, is counted, and gives the bounds of what it could have been."""
    summary = summarize(table({"a": "PPEE", "b": "PFFE", "c": "EEEE"}))
    assert summary.pass_at_1.value == pytest.approx((1 + 1 / 3) / 2)
    errors = summary.errors
    assert (errors.scheduled, errors.graded, errors.errored, errors.missing) == (12, 5, 7, 0)
    assert errors.worst == pytest.approx((2 / 4 + 1 / 4 + 0) / 3)
    assert errors.best == pytest.approx((4 / 4 + 2 / 4 + 1) / 3)
    assert errors.pass_rate_over_scheduled == pytest.approx(3 / 12)
    assert any("no graded sample" in warning for warning in summary.warnings)


def test_nothing_graded_gives_no_number():
    """Where nothing was graded there is no rate, no interval and no zero."""
    for cases in ({"a": "EE"}, {"a": "--"}):
        summary = summarize(table(cases, n=2))
        assert summary.pass_at_1 is None
        assert summary.pass_at_k == {}
        assert summary.design_effect is None


def test_one_task_gives_a_value_and_no_interval_for_tasks_like_it():
    """One task says nothing of others: the value stands without an interval, and the reason is given."""
    summary = summarize(table({"a": "PPF"}))
    assert summary.pass_at_1.value == pytest.approx(2 / 3)
    assert summary.pass_at_1.low is None
    assert summary.pass_at_1.warnings
    assert summary.pass_at_1_these_tasks.low is not None


def test_mixed_is_not_flaky():
    """A case whose answers vary is mixed; one whose equal answers get different verdicts is flaky."""
    summary = summarize(table({"mixed": "P1F2P1", "flaky": "P1F1F2", "always": "P1P1P2", "never": "F1F1F1"}))
    assert {case.id: (case.mixed, case.flaky) for case in summary.cases} == {
        "mixed": (True, False),
        "flaky": (True, True),
        "always": (False, False),
        "never": (False, False),
    }
    assert (summary.mixed_count, summary.flaky_count) == (2, 1)


def test_equal_answers_of_different_cases_are_different_questions():
    """The same bytes answering two cases may well pass one and fail the other."""
    assert summarize(table({"a": "P1P1", "b": "F1F1"})).flaky_count == 0


def test_slices_are_simultaneous():
    """A slice's intervals are Bonferroni over its values; the one of a single value is the plain one."""
    slices = {f"c{i}": {"bug": "xyz"[i % 3], "all": "one"} for i in range(12)}
    summary = summarize(table({f"c{i}": "PPFF" if i % 2 else "PFFF" for i in range(12)}, slices=slices))
    bug = [part for part in summary.slices if part.slice == "bug"]
    (whole,) = [part for part in summary.slices if part.slice == "all"]
    assert [part.n_cases for part in bug] == [4, 4, 4]
    assert {round(part.pass_at_1.level, 12) for part in bug} == {round(1 - 0.05 / 3, 12)}
    assert (whole.pass_at_1.low, whole.pass_at_1.high) == (summary.pass_at_1.low, summary.pass_at_1.high)


def test_a_run_of_many_samples_is_counted_right():
    """Counts over a thousand cases are those of the letters."""
    cases = {f"c{i}": "P" * (i % 5) + "F" * (4 - i % 5) for i in range(1000)}
    summary = summarize(table(cases))
    assert [case.c for case in summary.cases] == [i % 5 for i in range(1000)]
    assert summary.pass_at_1.value == pytest.approx(0.5)


def test_only_what_is_asked_for_is_computed(monkeypatch):
    """Of hundreds of k, an estimate is made for those that somebody reads, and once; a k beyond the samples is none."""
    asked = []

    class Curve(module.PassCurve):
        def __init__(self, c, n, kind, **options):
            super().__init__(c, n, kind, **options)
            self.kind = kind

        def __call__(self, k):
            if self.kind == "pass@k":
                asked.append(k)
            return super().__call__(k)

    monkeypatch.setattr(module, "PassCurve", Curve)
    summary = summarize(table({"a": "PF" * 100, "b": "P" * 200}))
    assert list(summary.pass_at_k) == list(range(1, 201))
    assert asked == []
    assert summary.pass_at_k[2] is summary.pass_at_k[2]
    assert asked == [2]
    for k in (0, 201):
        with pytest.raises(KeyError):
            summary.pass_at_k[k]
    render_summary(summary)
    assert set(asked) <= {2, 4, 8, 16, 32, 64, 128, 200}


def test_one_flaky_answer_among_many_is_found():
    """A case is flaky where one of its answers got both verdicts, and not where another case's equal answer did."""
    run = table({"a": "P7F7P8", "b": "P7F8P7", "c": "P8P8"})
    assert [case.flaky for case in summarize(run).cases] == [True, False, False]
