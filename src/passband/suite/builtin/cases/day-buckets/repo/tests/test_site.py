from meter.reading import Reading
from meter.site import Site


def test_totals_in_oslo():
    lines = ["2024-03-01T22:30 5", "2024-03-01T23:30 7", "2024-03-02T10:00 1"]
    totals = Site("Oslo", "+01:00").totals(Reading.parse(line) for line in lines)
    assert totals == {"2024-03-01": 5, "2024-03-02": 8}


def test_new_york_is_behind():
    day = Site("New York", "-05:00").day_of(Reading.parse("2024-03-01T04:59 1"))
    assert day.isoformat() == "2024-02-29"
