from sessions import SessionStore


def test_clean_up():
    store = SessionStore()
    store.open("a", "ann", now=0)
    store.open("b", "bob", now=5000)
    assert store.clean_up(now=6000) == ["a"]
    assert store.find("b").user == "bob"


def test_touch_keeps_a_session():
    store = SessionStore()
    store.open("a", "ann", now=0)
    assert store.touch("a", now=3000)
    assert store.clean_up(now=6000) == []
