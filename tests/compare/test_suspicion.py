import dataclasses
from array import array

import pytest

from passband.compare import headline_suspicions, pair_suspicions
from tests.tables import table


def billed(cases, tokens):
    """A table whose samples took the given numbers of tokens."""
    made = table(cases)
    return dataclasses.replace(made, tokens=array("q", tokens))


def test_a_copy_is_said_to_be_one():
    """Equal answers with equal verdicts on every case mean that one run was compared with itself."""
    cases = {"x": "P1F2P3", "y": "F4F5F6"}
    (found,) = pair_suspicions(table(cases), table({"y": "F6F5F4", "x": "F2P1P3"}))
    assert found.kind == "duplicated"
    assert pair_suspicions(table(cases), table({"x": "P1F2P3", "y": "F4F5P6"})) == ()


def test_few_equal_samples_are_no_finding():
    """Two samples that are alike prove nothing."""
    assert pair_suspicions(table({"x": "P1F2"}), table({"x": "P1F2"})) == ()


def test_scrambled_ids_are_said():
    """The same verdicts and bills under other ids are the same run with its ids mixed up."""
    names = "abcdef"
    verdicts = ["P", "F", "P", "P", "F", "F"]
    one = billed(dict(zip(names, verdicts, strict=True)), [11, 22, 33, 44, 55, 66])
    two = billed(dict(zip(names, ["F", "P", "P", "F", "F", "P"], strict=True)), [22, 11, 33, 66, 55, 44])
    (found,) = pair_suspicions(one, two)
    assert found.kind == "scrambled"
    assert "4 of 6" in found.message


def test_equal_totals_are_not_scrambled():
    """Two systems that pass equally many tasks, with bills that tell nothing, are left alone."""
    one = table(dict(zip("abcdef", "PFPPFF", strict=True)))
    two = table(dict(zip("abcdef", "FPPFFP", strict=True)))
    assert pair_suspicions(one, two) == ()


@pytest.mark.parametrize(
    ("headline", "said"),
    [(0.889, None), (0.8, "passes over scheduled samples"), (0.9, "everything ungraded as a pass"), (0.7, "pass@1 is")],
)
def test_a_headline_is_checked_against_its_samples(headline, said):
    """80 of 100 with 10 errors: 88.9 is the rate over graded samples, 80.0 that over scheduled ones, 70 is neither."""
    cases = {f"c{i}": "P" if i < 80 else "F" if i < 90 else "E" for i in range(100)}
    found = headline_suspicions(table(cases), headline)
    if said is None:
        assert found == ()
    else:
        assert said in found[0].message
