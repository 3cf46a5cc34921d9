from plane import Path, Vector


def test_path():
    path = Path(Vector(0, 0), [Vector(3, 4), Vector(0, -4)])
    assert path.points()[-1] == Vector(3, 0)
    assert path.length() == 9


def test_parse_and_show():
    assert repr(Vector.parse("1.5,-2")) == "Vector(1.5, -2)"
