import random
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import DataError, SuiteError, UsageError
from passband.records import EvalCase, ExactMatchSpec, Split
from passband.suite import EvalSuite
from passband.suite.splits import split_by_group, split_by_time, split_by_variant

SHARES = {"test": 0.3, "validation": 0.2}


def case(i, **slices):
    return EvalCase(id=f"c{i}", inputs={"q": i}, grader_spec=ExactMatchSpec(), reference=str(i), slices=slices)


def parts(split):
    return {case_id: part for part, ids in split.parts.items() for case_id in ids}


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 10**6), min_size=40, max_size=60), st.integers(10**6 + 1, 10**7))
def test_adding_a_case_moves_no_other(numbers, new):
    """With the salt of the first split, every old case stays where it was."""
    old = [case(i) for i in numbers]
    first = split_by_variant(EvalSuite("s", tuple(old)), SHARES)
    grown = split_by_variant(EvalSuite("s", (*old, case(new))), SHARES, salt=first.salt)
    assert parts(grown).items() >= parts(first).items()


def test_order_ids_and_references_do_not_matter_and_equal_inputs_stay_together():
    """A case's part follows from what it shows: not from its id, its reference or the order of the suite."""
    cases = [case(i) for i in range(50)]
    first = parts(split_by_variant(EvalSuite("s", tuple(cases)), SHARES, salt=5))
    random.Random(1).shuffle(cases)
    changed = [msgspec.structs.replace(c, reference="other") for c in cases]
    assert parts(split_by_variant(EvalSuite("s", tuple(changed)), SHARES, salt=5)) == first
    twins = [*cases, *(msgspec.structs.replace(c, id=f"twin-{c.id}") for c in cases)]
    found = parts(split_by_variant(EvalSuite("s", tuple(twins)), SHARES, salt=5))
    assert all(found[c.id] == found[f"twin-{c.id}"] == first[c.id] for c in cases)


def test_strata_are_split_in_the_wanted_shares():
    """Stratified, each value of the slice gives each part its share, to within a case or two."""
    suite = EvalSuite("s", tuple(case(i, kind="abc"[i % 3]) for i in range(60)))
    split = split_by_variant(suite, SHARES, stratify="kind")
    counts = Counter((suite.case(c).slices["kind"], part) for c, part in parts(split).items())
    for kind in "abc":
        assert abs(counts[kind, "test"] - 6) <= 1
        assert abs(counts[kind, "validation"] - 4) <= 1


def test_groups_stay_whole():
    """Split by group, no group is in two parts."""
    suite = EvalSuite("s", tuple(case(i, family=f"f{i % 12}") for i in range(120)))
    found = parts(split_by_group(suite, SHARES, "family"))
    for family in range(12):
        assert len({found[f"c{i}"] for i in range(family, 120, 12)}) == 1
    assert {"test", "validation", "train"} == set(found.values())


def test_time_splits_at_the_cutoffs():
    """A case on the day of a cutoff is in the part that begins; older ones train."""
    days = ["2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01"]
    suite = EvalSuite("s", tuple(case(i, date=day) for i, day in enumerate(days)))
    split = split_by_time(suite, {"test": "2024-03-01", "validation": "2024-02-01"}, "date")
    assert parts(split) == {"c0": "train", "c1": "validation", "c2": "validation", "c3": "test"}


@pytest.mark.parametrize(
    ("shares", "match"),
    [
        ({}, "needs a share"),
        ({"test": 1.5}, "no share"),
        ({"train": 0.2}, "'train' is what is left"),
        ({"../../zz": 0.5}, "'../../zz' is no name of a part; use letters, digits, - and _"),
        ({"a/b": 0.5}, "no name"),
        ({"": 0.5}, "no name"),
        ({"-a": 0.5}, "no name"),
        ({"a.b": 0.5}, "no name"),
        ({"a\n": 0.5}, "no name"),
        ({"a": 0.6, "b": 0.6}, "sum to"),
    ],
)
def test_shares_that_make_no_sense_are_refused(shares, match):
    """No share, more than all, or a share for the rest: usage errors."""
    with pytest.raises(UsageError, match=match):
        split_by_variant(EvalSuite("s", (case(1),)), shares)


def test_what_can_not_be_split_is_said():
    """A missing slice, a date that is none, an empty part, a case in two parts: errors that name it."""
    suite = EvalSuite("s", (case(1, date="soon"), case(2)))
    with pytest.raises(SuiteError, match="1 case has no slice 'date'"):
        split_by_group(suite, SHARES, "date")
    with pytest.raises(SuiteError, match="'soon' is no date"):
        split_by_time(EvalSuite("s", (case(1, date="soon"),)), {"test": "2024-01-01"}, "date")
    for name, match in (("/tmp/test", "no name of a part"), ("train", "what is left")):
        with pytest.raises(UsageError, match=match):
            split_by_time(EvalSuite("s", (case(1, date="2024-01-01"),)), {name: "2024-01-01"}, "date")
    with pytest.raises(SuiteError, match="would be empty"):
        split_by_group(EvalSuite("s", (case(1, g="a"),)), SHARES, "g")
    with pytest.raises(DataError, match="in the parts 'a' and 'b'"):
        Split(suite="s", suite_version="v", by="variant", parts={"a": ("x",), "b": ("x",)})


def test_a_part_is_known_by_its_cases_and_the_suite():
    """The digest of a part moves with its cases and with the suite's version, not with the other parts."""
    one = Split(suite="s", suite_version="v", by="variant", parts={"test": ("a", "b"), "train": ("c",)})
    two = Split(suite="s", suite_version="v", by="variant", parts={"test": ("b", "a"), "train": ("d",)})
    three = msgspec.structs.replace(one, suite_version="w")
    assert one.part_digest("test") == two.part_digest("test") != three.part_digest("test")
    with pytest.raises(DataError, match="no part 'dev'"):
        one.part_digest("dev")
