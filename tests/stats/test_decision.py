import pytest
from statsmodels.stats.weightstats import DescrStatsW

from passband.errors import InvalidInputError
from passband.stats import decide, paired_difference, paired_mean_difference, unpaired_difference

BASE = [4, 6, 2, 7, 5, 3, 6, 4, 5, 5] * 4


def shifted(by, jitter=(0, 1, -1, 0)):
    return [min(32, max(0, 4 * c + by + jitter[i % 4])) for i, c in enumerate(BASE)]


@pytest.mark.parametrize(
    ("by", "margin", "verdict"),
    [
        (6, 0.0, "better"),
        (6, 0.1, "better"),
        (-6, 0.1, "worse"),
        (0, 0.05, "same"),
        (0, 0.0, "unclear"),
        (1, 0.03, "unclear"),
    ],
)
def test_the_four_verdicts(by, margin, verdict):
    """Above the margin, below its negative, strictly between, or none of these."""
    found = decide(paired_difference(shifted(0, (0,) * 4), 32, shifted(by), 32), margin)
    assert found.verdict == verdict
    assert found.margin == margin


def test_equivalence_is_two_one_sided_tests():
    """On exact values, p_equivalent is twice statsmodels' TOST p, and non-inferiority its lower half."""
    a = [0.1, 0.35, 0.7, 0.4, 0.62, 0.81, 0.15]
    b = [0.12, 0.33, 0.75, 0.38, 0.66, 0.8, 0.11]
    decision = decide(paired_mean_difference(a, b), 0.04)
    tost, (_, lower, _), _ = DescrStatsW([y - x for x, y in zip(a, b, strict=True)]).ttost_mean(-0.04, 0.04)
    assert decision.p_equivalent == pytest.approx(2 * tost)
    assert decision.p_non_inferior == pytest.approx(2 * lower)


def test_no_interval_no_claim():
    """One task: unclear, and no p-value."""
    decision = decide(paired_difference([1], [4], [3], [4]))
    assert (decision.verdict, decision.p_superior, decision.p_equivalent) == ("unclear", None, None)


def test_unpaired_differences_are_decided_too():
    """The same rule reads differences of single rates and of separate tasks."""
    assert decide(unpaired_difference(10, 100, 60, 100), 0.2).verdict == "better"
    assert decide(unpaired_difference([0] * 20, 4, [4] * 20, 4)).verdict == "better"


def test_margins_and_batches_are_checked():
    """A margin in points, and a batch, are refused."""
    one = paired_difference([1, 2], 4, [3, 2], 4)
    with pytest.raises(InvalidInputError, match="2 points are 0.02"):
        decide(one, 2)
    with pytest.raises(InvalidInputError, match="not a batch"):
        decide(paired_difference([[1, 2]], 4, [[3, 2]], 4))
