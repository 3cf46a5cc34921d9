from router import build, parse, parse_link


def test_build_and_read_back():
    link = build("/find", q="red & blue", page="2")
    assert link == "/find?q=red+%26+blue&page=2"
    assert parse_link(link) == ("/find", {"q": ["red & blue"], "page": ["2"]})


def test_nothing_after_the_path():
    assert parse("") == {}
