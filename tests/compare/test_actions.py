import re

from passband.compare.actions import ActionShift, action_shifts
from passband.records import Answer, Fault, Outcome, Sample, Status, Verdict

EDIT = re.compile(r"edit (\w+)")


def sample(text, *, passed=False):
    """Make a graded sample that answered something; one without an answer errored."""
    if text is None:
        fault = Fault(stage="subject", detail="no answer")
        return Sample(index=0, seed=0, output=None, verdict=None, status=Status.ERRORED, faults=(fault,))
    outcome = Outcome.RESOLVED if passed else Outcome.UNRESOLVED
    return Sample(index=0, seed=0, output=Answer.of(text), verdict=Verdict(passed, float(passed), "", outcome))


def test_what_came_stands_first_and_what_went_last():
    """Actions are the pattern's group, sorted by the change of their share, with how many of them passed."""
    right, wrong = sample("read\nedit guard\nsubmit", passed=True), sample("edit compare\nsubmit")
    before = [right] * 3 + [wrong] + [sample("submit")] * 2
    after = [right] + [wrong] * 5
    assert action_shifts(before, after, pattern=EDIT) == (
        ActionShift("compare", 1, 5, 0),
        ActionShift("(none)", 2, 0, 0),
        ActionShift("guard", 3, 1, 4),
    )


def test_shares_and_not_counts_are_compared():
    """Half of two is more than a third of three, though both are one."""
    shifts = action_shifts([sample("a"), sample("b"), sample("b")], [sample("a"), sample("c")])
    assert [shift.action for shift in shifts] == ["c", "a", "b"]


def test_errored_samples_took_no_action():
    """A sample without a verdict says nothing of the subject."""
    assert action_shifts([sample(None)], [sample("x")]) == (ActionShift("x", 0, 1, 0),)


def test_a_pattern_without_a_group():
    """The whole match is the action then, and a whole answer where there is no pattern."""
    answer = [sample("read\nedit guard")]
    assert action_shifts(answer, [], pattern=re.compile(r"edit \w+"))[0].action == "edit guard"
    assert action_shifts(answer, [])[0].action == "read\nedit guard"
