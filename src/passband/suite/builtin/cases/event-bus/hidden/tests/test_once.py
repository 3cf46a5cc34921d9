from bus import Bus


def test_every_once_handler_is_called():
    bus, seen = Bus(), []
    for name in ["a", "b", "c"]:
        bus.once("start", lambda name=name: seen.append(name))
    assert bus.emit("start") == 3
    assert seen == ["a", "b", "c"]
    assert bus.emit("start") == 0


def test_handler_after_a_once_handler_is_called():
    bus, seen = Bus(), []
    bus.once("start", lambda: seen.append("once"))
    bus.on("start", lambda: seen.append("always"))
    bus.emit("start")
    bus.emit("start")
    assert seen == ["once", "always", "always"]


def test_handler_that_removes_itself():
    bus, seen = Bus(), []

    def first():
        seen.append("first")
        bus.off("start", first)

    bus.on("start", first)
    bus.on("start", lambda: seen.append("second"))
    assert bus.emit("start") == 2
    assert seen == ["first", "second"]


def test_once_handler_may_emit_again():
    bus, seen = Bus(), []

    def again():
        seen.append("again")
        bus.emit("start")

    bus.once("start", again)
    bus.emit("start")
    assert seen == ["again"]


def test_handlers_are_called_in_order_with_data():
    bus, seen = Bus(), []
    bus.on("move", lambda **data: seen.append(("one", data)))
    bus.on("move", lambda **data: seen.append(("two", data)))
    assert bus.emit("move", x=1, y=2) == 2
    assert seen == [("one", {"x": 1, "y": 2}), ("two", {"x": 1, "y": 2})]


def test_off_of_a_stranger():
    assert Bus().off("start", print) is False


def test_unknown_event():
    assert Bus().emit("nothing") == 0
