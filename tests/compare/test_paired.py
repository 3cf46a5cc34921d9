import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.compare import compare_runs
from passband.errors import DataError, UsageError
from tests.tables import HARNESS, table

LETTERS = st.text("PFE", min_size=3, max_size=3)


@st.composite
def two_runs(draw):
    """Two runs over overlapping sets of cases, at least one of them graded in both."""
    n = draw(st.integers(1, 12))
    names = [f"c{i}" for i in range(n)]
    a = {name: draw(LETTERS) for name in names} | {"shared": "PFP"}
    b = {name: draw(LETTERS) for name in names if draw(st.booleans())} | {"shared": "PPP", "extra": "FFF"}
    return table(a), table(b)


@settings(max_examples=200, deadline=None)
@given(two_runs(), st.sampled_from([0.0, 0.02, 0.3]))
def test_verdict_interval_and_p_never_disagree(runs, margin):
    """Better and worse are what the interval says, and without a margin what its p says, for all slices too."""
    comparison = compare_runs(*runs, margin=margin)
    low, high = comparison.difference.estimate.low, comparison.difference.estimate.high
    if low is None:
        assert comparison.verdict == "unclear"
        return
    assert (comparison.verdict == "better") == (low > margin)
    assert (comparison.verdict == "worse") == (high < -margin)
    assert (comparison.verdict == "same") == (margin > 0 and low > -margin and high < margin)
    if margin == 0:
        assert (comparison.verdict in {"better", "worse"}) == (comparison.difference.p_value < 0.05)


@settings(max_examples=100, deadline=None)
@given(two_runs())
def test_exchanging_the_runs_mirrors_the_comparison(runs):
    """B against A is A against B with the sign turned."""
    one, two = compare_runs(*runs), compare_runs(*reversed(runs))
    assert one.difference.estimate.value == pytest.approx(-two.difference.estimate.value)
    mirrored = {"better": "worse", "worse": "better"}
    assert two.verdict == mirrored.get(one.verdict, one.verdict)
    assert one.worst_case == pytest.approx(tuple(-x for x in reversed(two.worst_case)))


@settings(max_examples=100, deadline=None)
@given(two_runs())
def test_the_difference_lies_within_its_bounds(runs):
    """Whatever the errored samples would have been, the difference over the shared cases stays in the bounds."""
    comparison = compare_runs(*runs)
    low, high = comparison.worst_case
    assert low <= high
    if not any(comparison.errored):
        assert low == pytest.approx(high) == pytest.approx(comparison.difference.estimate.value)


def test_only_shared_cases_count_and_the_lost_ones_are_named():
    """A case that one run lacks, or has no graded sample of, is in no number and is named."""
    a = table({"x": "PP", "y": "FF", "only-a": "PP", "broken-b": "PP"})
    b = table({"x": "PP", "y": "PP", "only-b": "FF", "broken-b": "EE"})
    comparison = compare_runs(a, b)
    assert comparison.n_shared == 2
    assert comparison.rates == (0.5, 1.0)
    assert comparison.only_baseline == ("broken-b", "only-a")
    assert comparison.only_candidate == ("only-b",)


def test_a_difference_in_the_harness_blocks_until_it_is_named():
    """Numbers of two harnesses are compared only where the user names the difference."""
    other = msgspec.structs.replace(HARNESS, grader="g@2", sandbox_tier="bubblewrap")
    a, b = table({"x": "PP"}), table({"x": "PP"}, harness=other)
    with pytest.raises(UsageError, match="differ in grader, sandbox_tier.*--allow grader --allow sandbox_tier"):
        compare_runs(a, b)
    with pytest.raises(UsageError, match="differ in sandbox_tier"):
        compare_runs(a, b, allow=["grader"])
    comparison = compare_runs(a, b, allow=["grader", "sandbox_tier"])
    assert [found.field for found in comparison.harness_differences] == ["grader", "sandbox_tier"]


def test_no_shared_case_is_an_error():
    """Runs that share nothing cannot be compared."""
    with pytest.raises(DataError, match="share no graded case"):
        compare_runs(table({"a": "P"}), table({"b": "P"}))


@pytest.mark.parametrize("margin", [-0.1, 1.0, float("nan")])
def test_a_margin_is_a_fraction(margin):
    """A margin that is none is a usage error."""
    with pytest.raises(UsageError, match="margin"):
        compare_runs(table({"a": "P"}), table({"a": "P"}), margin=margin)


def test_slices_agree_with_their_adjusted_p():
    """A slice's verdict, simultaneous interval and adjusted p say the same."""
    names = [f"c{i}" for i in range(40)]
    slices = {name: {"bug": "xy"[i % 2]} for i, name in enumerate(names)}
    a = table(dict.fromkeys(names, "PFFF"), slices=slices)
    b = table({name: ("PPPF" if i % 4 else "PFFF") if i % 2 else "PFFF" for i, name in enumerate(names)}, slices=slices)
    comparison = compare_runs(a, b)
    by_value = {part.value: part for part in comparison.slices}
    assert by_value["y"].verdict == "better"
    assert by_value["y"].p_value < 0.05
    assert by_value["x"].verdict == "unclear"
    assert by_value["x"].p_value == 1.0


def test_most_moved_comes_largest_first():
    """Cases are listed by how far they moved, then by name, and those that did not move are left out."""
    comparison = compare_runs(
        table({"a": "PPFF", "b": "PPPP", "c": "FFFF"}), table({"a": "PPFF", "b": "FFFF", "c": "PFFF"})
    )
    assert [(m.id, m.baseline, m.candidate) for m in comparison.most_moved] == [
        ("b", (4, 4), (0, 4)),
        ("c", (0, 4), (1, 4)),
    ]
