from router import build, first, parse, parse_link


def test_value_with_several_equals_signs():
    assert parse("sig=aGVsbG8=") == {"sig": ["aGVsbG8="]}
    assert parse("user=7&sig=aGVsbA==&page=2") == {
        "user": ["7"],
        "sig": ["aGVsbA=="],
        "page": ["2"],
    }
    assert first("rule=a=b=c", "rule") == "a=b=c"


def test_signed_link_round_trip():
    link = build("/file", name="a b", sig="q83vEjQ=")
    assert parse_link(link) == ("/file", {"name": ["a b"], "sig": ["q83vEjQ="]})


def test_flag_without_equals_sign():
    assert parse("debug&page=2") == {"debug": [""], "page": ["2"]}


def test_empty_value():
    assert parse("q=&page=2") == {"q": [""], "page": ["2"]}


def test_repeated_name_keeps_every_value():
    assert parse("tag=a&tag=b") == {"tag": ["a", "b"]}
    assert first("tag=a&tag=b", "tag") == "a"


def test_escaped_equals_sign_in_a_name():
    assert parse("a%3Db=c") == {"a=b": ["c"]}


def test_stray_separators_are_skipped():
    assert parse("&&a=1&") == {"a": ["1"]}


def test_default_for_a_missing_name():
    assert first("a=1", "b", default="none") == "none"
