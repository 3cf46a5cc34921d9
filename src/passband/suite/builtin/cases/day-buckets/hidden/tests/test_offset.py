from datetime import timedelta

import pytest

from meter.offset import parse_offset, show_offset
from meter.reading import Reading
from meter.site import Site


def test_negative_half_hour_offset():
    assert parse_offset("-03:30") == timedelta(hours=-3, minutes=-30)
    assert show_offset(parse_offset("-09:45")) == "-09:45"


def test_offset_of_less_than_an_hour():
    assert parse_offset("-00:30") == timedelta(minutes=-30)
    assert show_offset(parse_offset("-00:15")) == "-00:15"


def test_day_totals_in_newfoundland():
    lines = ["2024-03-01T02:45 3", "2024-03-01T03:29 4", "2024-03-01T03:30 5"]
    totals = Site("St. John's", "-03:30").totals(Reading.parse(line) for line in lines)
    assert totals == {"2024-02-29": 7, "2024-03-01": 5}


def test_positive_offsets():
    assert parse_offset("+05:30") == timedelta(hours=5, minutes=30)
    assert parse_offset("+00:30") == timedelta(minutes=30)
    assert parse_offset("+14:00") == timedelta(hours=14)


def test_whole_hours_behind():
    assert parse_offset("-05:00") == timedelta(hours=-5)


def test_no_offset():
    assert parse_offset("Z") == parse_offset("+00:00") == parse_offset("-00:00") == timedelta(0)


def test_nonsense_is_refused():
    for text in ["", "5", "05:30", "+5", "+05:3", "+aa:00"]:
        with pytest.raises(ValueError):
            parse_offset(text)


def test_out_of_range_is_refused():
    for text in ["+14:01", "-15:00", "+05:60"]:
        with pytest.raises(ValueError):
            parse_offset(text)
