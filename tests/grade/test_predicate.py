import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from passband.grade.text import grade_predicate
from passband.records import Answer, EvalCase, PredicateSpec, encode

SPEC = PredicateSpec(target=f"{__name__}:predicate")
CASE = EvalCase(id="c", inputs={}, reference="", grader_spec=SPEC)


class MuteError(Exception):
    """An exception that can't say what it is."""

    def __str__(self):
        raise RuntimeError("no words")


ERRORS = {
    "ValueError: bad": ValueError("bad"),
    "SystemExit: 0": SystemExit(0),
    "GeneratorExit": GeneratorExit(),
    "KeyboardInterrupt": KeyboardInterrupt(),
    "MuteError: it cannot say what": MuteError(),
    r"ValueError: \ud800": ValueError("\ud800"),
}


def predicate(text, case):
    raise ERRORS[text]


@pytest.mark.parametrize("words", ERRORS)
def test_whatever_a_predicate_raises_is_a_failing_verdict(words):
    """In a worker's thread nothing that an author's function raises gets through, and what is said can be stored."""
    with ThreadPoolExecutor(1) as pool:
        verdict = pool.submit(grade_predicate, CASE, Answer(words.encode()), SPEC).result()
    assert not verdict.passed
    assert words in verdict.detail
    assert encode(verdict)


def test_ctrl_c_of_the_user_is_no_verdict():
    """On the main thread, where signals strike, an interruption goes on."""
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        grade_predicate(CASE, Answer(b"KeyboardInterrupt"), SPEC)
