import pytest

from sensor.station import Station
from sensor.summary import Summary

OFFSET = 1e9
SMALL = [4.0, 7.0, 13.0, 16.0]


def test_spread_of_large_values():
    # 4, 7, 13, 16 have mean 10 and squared deviations 36 + 9 + 9 + 36 = 90.
    assert Summary(SMALL).variance() == pytest.approx(30.0)
    assert Summary([OFFSET + x for x in SMALL]).variance() == pytest.approx(30.0)


def test_merged_parts_of_large_values():
    station = Station()
    station.record("left", [OFFSET + x for x in SMALL[:1]])
    station.record("right", [OFFSET + x for x in SMALL[1:]])
    both = station.overall()
    assert both.variance() == pytest.approx(30.0)
    both.add(OFFSET + 10.0)
    assert both.variance() == pytest.approx(22.5)


def test_values_that_do_not_vary():
    assert Summary([0.1 + OFFSET] * 10).spread() == pytest.approx(0.0, abs=1e-6)
    assert Summary([1e8 + 0.3] * 3 + [1e8 + 0.9] * 3).spread() == pytest.approx(0.328634, abs=1e-5)


def test_spread_of_small_values():
    assert Summary([1.0, 2.0, 3.0, 4.0]).variance() == pytest.approx(5 / 3)
    assert Summary([2.0, 4.0]).spread() == pytest.approx(2**0.5)


def test_merge_of_small_values():
    both = Summary([1.0, 2.0]).merge(Summary([3.0, 4.0, 5.0]))
    assert both.count == 5
    assert both.mean == pytest.approx(3.0)
    assert both.variance() == pytest.approx(2.5)


def test_merge_leaves_its_parts_alone():
    left, right = Summary([1.0, 3.0]), Summary([10.0])
    left.merge(right).add(99.0)
    assert (left.count, left.mean, left.variance()) == (2, 2.0, 2.0)
    assert (right.count, right.mean) == (1, 10.0)


def test_merge_with_nothing():
    assert Summary().merge(Summary([2.0, 4.0])).variance() == pytest.approx(2.0)
    assert Summary([2.0, 4.0]).merge(Summary()).mean == pytest.approx(3.0)
    assert Summary().merge(Summary()).count == 0


def test_mean_of_large_values():
    assert Summary([OFFSET, OFFSET + 2.0]).mean == OFFSET + 1.0


def test_too_few_values():
    with pytest.raises(ValueError):
        Summary([1.0]).variance()
    with pytest.raises(ValueError):
        Summary().mean
