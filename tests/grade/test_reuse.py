from passband.grade import Grading
from passband.records import Answer, EvalCase, PredicateSpec

CASE = EvalCase(id="coin", inputs={}, grader_spec=PredicateSpec(target="tests.grade.test_reuse:count", digest="x"))
CALLS = []


def count(case, answer):
    """Pass, and remember that somebody asked."""
    CALLS.append(answer)
    return True


def test_every_sample_is_graded_unless_verdicts_may_be_used_again():
    """Equal answers are graded each, so that a grader that tosses coins shows; with `reuse` the first one stands."""
    CALLS.clear()
    with Grading() as grading:
        assert [grading.grade(CASE, Answer.of("a")).passed for _ in range(3)] == [True] * 3
    assert len(CALLS) == 3
    with Grading(reuse=True) as grading:
        assert [grading.grade(CASE, Answer.of(text)).passed for text in "aab"] == [True] * 3
    assert len(CALLS) == 5
