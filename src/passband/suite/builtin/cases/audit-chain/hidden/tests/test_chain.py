from audit import AuditLog

COUNT = 8_000


def long_log():
    return AuditLog().add_all([("cron", f"run {i};") for i in range(COUNT)])


def test_size_of_a_long_log():
    assert long_log().size() == COUNT


def test_search_in_a_long_log():
    log = long_log()
    assert log.find("run 3;") == "cron: run 3;"
    assert log.find("nothing") is None


def test_export_of_a_long_log():
    lines = long_log().export().splitlines()
    assert len(lines) == COUNT
    assert lines[0] == "1 cron: run 0;"
    assert lines[-1] == f"{COUNT} cron: run {COUNT - 1};"


def test_short_log():
    log = AuditLog().add("a", "x").add("b", "y").add("c", "z")
    assert log.size() == 3
    assert log.export() == "1 a: x\n2 b: y\n3 c: z\n"


def test_empty_log():
    log = AuditLog()
    assert (log.size(), log.find("x"), log.export()) == (0, None, "")


def test_older_handle_shows_the_older_log():
    first = AuditLog().add("a", "x")
    left, right = first.add("b", "left"), first.add("c", "right")
    assert first.size() == 1
    assert left.find("right") is None
    assert right.export() == "1 a: x\n2 c: right\n"


def test_newest_of_several_is_found():
    log = AuditLog().add("a", "x 1").add("b", "x 2").add("c", "y")
    assert log.find("x") == "b: x 2"
