from bus import Bus
from bus.counter import EventCounter


def test_counter():
    bus = Bus()
    counter = EventCounter(bus, "start", "stop")
    bus.emit("start")
    bus.emit("start", speed=3)
    assert counter.counts == {"start": 2, "stop": 0}


def test_off():
    bus = Bus()
    bus.on("start", print)
    assert bus.off("start", print) is True
    assert bus.emit("start") == 0
