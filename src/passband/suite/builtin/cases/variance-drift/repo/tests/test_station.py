from sensor.show import show
from sensor.station import Station


def test_show():
    station = Station()
    station.record("room", [20.0, 21.0, 22.0])
    assert show(station) == "room: 3 values, mean 21.0, spread 1.00"


def test_sensors_together():
    station = Station()
    station.record("a", [1.0, 2.0])
    station.record("b", [6.0])
    assert station.overall().mean == 3.0
