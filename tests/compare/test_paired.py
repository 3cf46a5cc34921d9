import dataclasses
import random

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from passband.aggregate import summarize
from passband.compare import compare_runs, verdict_of
from passband.compare.pairing import grid
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
    decided = comparison.decision.verdict
    assert (decided == "better") == (low > margin)
    assert (decided == "worse") == (high < -margin)
    assert (decided == "same") == (margin > 0 and low > -margin and high < margin)
    if margin == 0:
        assert (decided in {"better", "worse"}) == (comparison.difference.p_value < 0.05)
    assert comparison.verdict in {decided, "unclear"}
    least, most = comparison.worst_case
    if comparison.verdict == "better":
        assert least > margin
    if comparison.verdict == "worse":
        assert most < -margin
    if comparison.taken_back:
        assert comparison.fragility is not None
        assert {"better": least <= margin, "worse": most >= -margin, "same": least <= -margin or most >= margin}[
            decided
        ]


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
    assert low - 1e-12 <= comparison.difference.estimate.value <= high + 1e-12
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


@settings(max_examples=200, deadline=None)
@given(two_runs())
def test_the_rates_are_those_each_run_has_alone(runs):
    """Whatever errored on the other side, a run's rate is that of all its graded samples on the shared cases."""
    found = compare_runs(*runs)
    summaries = [{case.id: case for case in summarize(run).cases if case.n} for run in runs]
    shared = summaries[0].keys() & summaries[1].keys()
    for rate, cases in zip(found.rates, summaries, strict=True):
        assert rate == pytest.approx(sum(cases[name].c / cases[name].n for name in shared) / len(shared))
    assert found.difference.estimate.value == pytest.approx(found.rates[1] - found.rates[0])


def test_what_errors_on_the_other_side_takes_no_sample_away():
    """A base that passes where the candidate errors keeps its rate: half, not the nothing that complete pairs hold."""
    base = table({f"c{i}": "PPFF" for i in range(30)})
    cand = table({f"c{i}": "EEPP" for i in range(30)})
    found = compare_runs(base, cand)
    assert found.rates == (0.5, 1.0)
    assert found.worst_case == (0.0, 0.5)
    assert found.decision.verdict == "better"
    assert (found.verdict, found.taken_back) == ("unclear", True)


def test_cases_that_errored_whole_can_take_a_verdict_back():
    """At one sample a case an error takes the case out of the rates, and not out of what could turn the verdict."""
    base = table({f"c{i}": "F" if i < 20 else "P" for i in range(50)})
    cand = table({f"c{i}": "P" if i < 20 else "E" for i in range(50)})
    found = compare_runs(base, cand)
    assert found.n_shared == 20
    assert found.decision.verdict == "better"
    assert found.worst_case == (pytest.approx((20 - 30) / 50), 1.0)
    assert found.verdict == "unclear"
    assert found.errored == (0, 30)


def test_samples_not_drawn_yet_take_no_verdict_back():
    """A run that is stopped has lost nothing: what is not drawn is counted apart and in no bound."""
    base = table({f"c{i}": "FFFF" for i in range(30)})
    cand = table({f"c{i}": "PP--" for i in range(30)})
    found = compare_runs(base, cand)
    assert found.verdict == "better"
    assert found.fragility is None
    assert found.undrawn == (0, 60)


@settings(max_examples=100, deadline=None)
@given(two_runs(), st.sampled_from([0.0, 0.1]))
def test_without_errors_no_verdict_is_taken_back(runs, margin):
    """The rule for samples without a verdict changes nothing where every sample has one."""
    made = compare_runs(*runs, margin=margin)
    assume(not any(made.errored))
    assert made.verdict == made.decision.verdict
    assert not any(part.taken_back for part in made.slices)


def test_errors_are_those_of_the_cases_that_both_drew():
    """Cases that one run has alone are in neither count."""
    found = compare_runs(table({"x": "PE", "y": "PP", "only": "EE"}), table({"x": "PP", "y": "EP", "other": "EE"}))
    assert found.errored == (1, 1)
    assert found.scheduled == (4, 4)


def test_one_seed_pairs_by_sample_what_both_sides_graded():
    """Complete pairs are counted with a common seed, and with seeds of their own there are none; the rates take all."""
    a, b = table({"x": "PPFF", "y": "PFPE"}), table({"x": "PEFF", "y": "FFPP"})
    common = compare_runs(a, b)
    assert common.paired_by == "sample"
    seeds = common.common_seeds
    assert (seeds.both, seeds.only_baseline, seeds.only_candidate, seeds.neither) == (2, 1, 0, 3)
    b = dataclasses.replace(b, header=msgspec.structs.replace(b.header, seed=1))
    apart = compare_runs(a, b)
    assert apart.paired_by == "case"
    assert apart.common_seeds is None
    assert apart.rates == common.rates == (pytest.approx((2 / 4 + 2 / 3) / 2), pytest.approx((1 / 3 + 2 / 4) / 2))


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
    least, most = found.worst_case
    assert least - 1e-12 <= found.fragility.against.value <= found.fragility.favour.value <= most + 1e-12
    if all(any(letter != -1 for letter in row) for run in runs for row in grid(run).tolist()):
        assert (found.fragility.against.value, found.fragility.favour.value) == pytest.approx(found.worst_case)
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


def test_samples_are_those_that_were_drawn():
    """Of a run that ended early the comparison names what its shared cases have, not what they were to have."""
    found = compare_runs(table({"x": "PF--", "y": "P---"}), table({"x": "PFPF", "y": "PPPF"}, run_id="b"))
    assert found.samples == (2, 4)
