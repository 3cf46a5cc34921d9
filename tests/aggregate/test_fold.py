"""Folding a run in pieces gives what folding it whole gives, to the last bit."""

from __future__ import annotations

import itertools
import math
import random
from array import array

import pytest

from passband.aggregate import restrict, summarize
from passband.aggregate.fold import fold
from passband.records import SampleTable
from passband.report import to_json
from tests.tables import table

COUNTS = ("passed", "graded", "errored", "safety", "scheduled", "answers_disagree")


def mixed_run(seed):
    """A run of fifty cases with every kind of outcome, prices that are known here and there, and odd durations."""
    rng = random.Random(seed)
    cases = {
        f"c{i:02}": "".join(rng.choice(["P1", "F1", "F2", "N", "S", "E", "-"]) for _ in range(9)) for i in range(50)
    }
    made = table(cases, slices={name: {"half": "ab"[i % 2]} for i, name in enumerate(cases)})
    for place in range(len(made)):
        made.seconds[place] = rng.expovariate(1) * 10.0 ** rng.randint(-9, 6)
        made.cost_usd[place] = rng.choice([math.nan, 0.1, 1e-9, 123456.789])
    return made


def cut(run, places):
    """The run cut before the cases at these places."""
    ends = [0, *sorted(places), len(run.header.case_ids)]
    for first, last in itertools.pairwise(ends):
        rows = [row for row, case in enumerate(run.case) if first <= case < last]
        columns = {
            name: array(getattr(run, name).typecode, [getattr(run, name)[r] for r in rows]) for name in run.COLUMNS
        }
        yield SampleTable(run.header, enough=run.enough, **columns)


@pytest.mark.parametrize("seed", range(8))
def test_pieces_fold_to_the_whole(seed):
    """Every number of a summary is the same bytes whether the run comes whole, in pieces, or case by case."""
    run = mixed_run(seed)
    whole = to_json(summarize(run))
    for places in ([17, 18, 40], range(1, 50), [25]):
        assert to_json(summarize(cut(run, places))) == whole


def test_sums_are_exact():
    """Durations and prices add up to the correctly rounded sum, though they are added in pieces."""
    run = mixed_run(3)
    found = fold(cut(run, range(1, 50, 3)))
    assert found.seconds == math.fsum(run.seconds)
    assert found.cost_usd == math.fsum(cost for cost in run.cost_usd if not math.isnan(cost))
    assert found.seconds != sum(run.seconds)  # or the test would tell nothing


def test_a_piece_without_samples_adds_nothing():
    """A run of which nothing is drawn yet folds to zeros, and so do cases without samples."""
    empty = table({"a": "-", "b": "-"}, n=4)
    found = fold([empty, empty])
    assert (found.samples, found.priced, found.cost_usd, found.seconds) == (0, 0, 0.0, 0.0)
    assert [getattr(found.arrays, name).tolist() for name in COUNTS[:4]] == [[0, 0]] * 4
    assert found.arrays.scheduled.tolist() == [4, 4]


def test_a_run_that_its_rule_ended_is_scheduled_as_drawn():
    """Where a rule ended the run, each case was to have what it has, in pieces as in the whole."""
    run = table({"a": "PFP", "b": "PE-"})
    ended = SampleTable(run.header, enough="narrow", **{name: getattr(run, name) for name in run.COLUMNS})
    assert fold(cut(ended, [1])).arrays.scheduled.tolist() == [3, 2]
    assert to_json(summarize(cut(ended, [1]))) == to_json(summarize(ended))


def test_causes_are_asked_for_only_where_something_errored():
    """A run without errors does not make the store look for their causes."""

    def never():
        raise AssertionError("asked")
        yield ""

    assert summarize(table({"a": "PF"}), causes=never()).errors.causes == ()
    (cause,) = summarize(table({"a": "PE"}), causes=["gone"]).errors.causes
    assert (cause.cause, cause.samples) == ("gone", 1)


def test_part_of_a_run_keeps_its_columns():
    """Restricting a run to all of its cases changes no column."""
    run = mixed_run(1)
    same = restrict(run, run.header.case_ids)
    for name in run.COLUMNS:
        assert getattr(same, name).tobytes() == getattr(run, name).tobytes()
