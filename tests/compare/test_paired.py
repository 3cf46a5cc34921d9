import dataclasses
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.compare import compare_runs, verdict_of
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


def test_an_entry_of_a_table_is_a_field():
    """Limits and sampling differ entry by entry; a table's name allows all of it, and a misspelt field is an error."""
    one = msgspec.structs.replace(HARNESS, sampling={"temperature": 0.8, "top_p": 1.0})
    two = msgspec.structs.replace(HARNESS, sampling={"temperature": 1.0, "top_p": 1.0, "top_k": 5})
    a, b = table({"x": "PP"}, harness=one), table({"x": "PF"}, harness=two)
    with pytest.raises(UsageError, match=r"differ in sampling.temperature, sampling.top_k"):
        compare_runs(a, b)
    with pytest.raises(UsageError, match=r"differ in sampling.top_k"):
        compare_runs(a, b, allow=["sampling.temperature"])
    assert len(compare_runs(a, b, allow=["sampling"]).harness_differences) == 2
    with pytest.raises(UsageError, match="did you mean 'sampling'"):
        compare_runs(a, b, allow=["samplng"])


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


def test_one_seed_pairs_by_sample_and_leaves_out_what_one_side_lacks():
    """With a common seed a sample counts where both sides have its verdict; with seeds of their own, all count."""
    a, b = table({"x": "PPFF", "y": "PFPE"}), table({"x": "PEFF", "y": "FFPP"})
    common = compare_runs(a, b)
    assert common.paired_by == "sample"
    seeds = common.common_seeds
    assert (seeds.both, seeds.only_baseline, seeds.only_candidate, seeds.neither) == (2, 1, 0, 3)
    assert common.rates == (pytest.approx((1 / 3 + 2 / 3) / 2), pytest.approx((1 / 3 + 1 / 3) / 2))
    b = dataclasses.replace(b, header=msgspec.structs.replace(b.header, seed=1))
    apart = compare_runs(a, b)
    assert apart.paired_by == "case"
    assert apart.common_seeds is None
    assert apart.rates == (pytest.approx((2 / 4 + 2 / 3) / 2), pytest.approx((1 / 3 + 2 / 4) / 2))


def test_common_seeds_shrink_the_error_where_samples_agree():
    """Samples that pass together make the standard error smaller than seeds of their own would."""
    rng = random.Random(3)
    one, two = {}, {}
    for i in range(40):
        draws = [rng.random() for _ in range(8)]
        one[f"c{i}"] = "".join("FP"[u < 0.5] for u in draws)
        two[f"c{i}"] = "".join("FP"[u < 0.6] for u in draws)
    found = compare_runs(table(one), table(two))
    assert found.common_seeds.correlation > 0.5
    assert found.difference.se_paired < found.common_seeds.se_without


@settings(max_examples=100, deadline=None)
@given(two_runs(), st.sampled_from([0.0, 0.02]))
def test_fragility_holds_the_extremes(runs, margin):
    """Both extremes have the ends of the bounds as values, and verdicts of their own intervals."""
    found = compare_runs(*runs, margin=margin)
    if found.fragility is None:
        assert found.worst_case[0] == pytest.approx(found.worst_case[1])
        return
    ends = (found.fragility.against.value, found.fragility.favour.value)
    assert ends == pytest.approx(found.worst_case)
    assert found.fragility.verdict_against == verdict_of(found.fragility.against, margin)
    assert found.fragility.verdict_favour == verdict_of(found.fragility.favour, margin)


def test_curves_are_those_of_the_counts():
    """pass@2 and pass^2 on both sides are the unbiased estimates, averaged over tasks."""
    found = compare_runs(table({"x": "PPFF", "y": "PFFF"}), table({"x": "PPPP", "y": "FFFF"}))
    by = {(point.k, point.kind): point for point in found.curves}
    assert sorted({k for k, _ in by}) == [2, 4]
    assert by[2, "pass@k"].baseline == pytest.approx((5 / 6 + 1 / 2) / 2)
    assert by[2, "pass^k"].baseline == pytest.approx((1 / 6 + 0) / 2)
    assert by[2, "pass@k"].difference.value == pytest.approx(0.5 - (5 / 6 + 1 / 2) / 2)
