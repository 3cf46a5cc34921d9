"""What a candidate returns may be small and cost without end to compare, print or search: the judge is bounded too."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from passband.grade.inside.rpc.values import decode_value, encode_value, is_value
from passband.grade.inside.rpc.wire import ProtocolError
from passband.records import Limits, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

# No more than a second and a half of the judge's.
SHORT = Limits(wall_s=20, cpu_s=0.5, mem_mb=256, file_mb=16, pids=64)
PATTERN = "import re\n\ndef f(x):\n    return re.compile({})\n"
SEARCH = 'from m import f\n\ndef test_it():\n    assert f("a+$").match("a" * 40 + "b") is None\n'
# A fixture takes a test out of the processes that judge again and again.
SEARCH_APART = SEARCH.replace("test_it()", "test_it(monkeypatch)")


@pytest.mark.slow
@pytest.mark.parametrize("tests", [SEARCH, SEARCH_APART], ids=["one process for all", "a process of its own"])
def test_a_search_without_end_ends(tests: str, grading: Grading) -> None:
    """CPU time that the tests use up on an answer is bounded by the case's, and the verdict says what happened."""
    case = make_case(
        {"m.py": PATTERN.format("'a'")},
        tests,
        {"m.py": PATTERN.format("x")},
        fail=("test_it",),
        tier="split",
        limits=SHORT,
    )
    run = grading.run_tests(case, {"m.py": PATTERN.format("'(a+)+$'").encode()})
    (outcome,) = run.outcomes.values()
    assert outcome.why == "the tests used up 1.5 s of CPU time on what the candidate returned"
    assert run.cpu_s < 5
    verdict = grading.grade(case, whole_files({"m.py": PATTERN.format("x")}))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


LISTED = "from m import f\n\ndef test_it():\n    assert list(f(3)) == [0, 1, 2]\n"
RANGE = "def f(x):\n    return range({})\n"


def test_memory_of_the_judge_is_bounded(grading: Grading) -> None:
    """A list of what was returned is as long as the case's memory, and a little more, allows."""
    case = make_case(
        {"m.py": RANGE.format(0)}, LISTED, {"m.py": RANGE.format("x")}, fail=("test_it",), tier="split", limits=SHORT
    )
    run = grading.run_tests(case, {"m.py": RANGE.format("10**9").encode()})
    (outcome,) = run.outcomes.values()
    assert outcome.why.startswith("MemoryError")


@pytest.mark.parametrize("value", [Decimal("1e10001"), Decimal("-1e-10001"), Decimal("0e999999")])
def test_decimals_of_any_size_stay_away(value: Decimal) -> None:
    """A decimal of a few letters whose integer has millions of digits does not cross, whoever sends it."""
    assert is_value(Decimal)
    with pytest.raises(ValueError, match="some thousand digits"):
        encode_value(value)
    with pytest.raises(ProtocolError):
        decode_value(["Decimal", str(value)])


@pytest.mark.parametrize(
    "value", [Decimal("1.50"), Decimal("-1e9999"), Decimal("NaN"), Decimal("-Infinity"), Fraction(-7, 3)]
)
def test_others_cross(value: Any) -> None:
    """Decimals and fractions of ordinary size are what they were, to the last digit."""
    assert is_value(type(value))
    made = decode_value(encode_value(value))
    assert (type(made), str(made)) == (type(value), str(value))


@pytest.mark.parametrize("text", ["1e999999999", "0.5", "1/2/3", "", "1" * 6000])
def test_a_fraction_is_two_integers(text: str) -> None:
    """Another form of a fraction is not read: a power of ten has no end."""
    with pytest.raises(ProtocolError):
        decode_value(["Fraction", text])


def test_a_pattern_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern crosses without the flag that prints it where it is compiled, and up to a bound."""
    made = decode_value(["Pattern", "a", int(re.DEBUG | re.IGNORECASE), False])
    assert made.flags & re.IGNORECASE
    assert capsys.readouterr().out == ""
    with pytest.raises(ProtocolError):
        decode_value(["Pattern", "a" * 70_000, 0, False])
