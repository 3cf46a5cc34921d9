import pytest

from sessions import SessionStore
from sessions.panel import Panel


def store_with(*entries):
    store = SessionStore()
    for token, user, seen in entries:
        store.open(token, user, seen)
    return store


def tokens(store):
    return [session.token for session in store.sessions]


def test_neighbours_expire_together():
    store = store_with(("a", "x", 0), ("b", "x", 1), ("c", "y", 9000), ("d", "x", 2), ("e", "z", 3))
    assert store.clean_up(now=10_000) == ["a", "b", "d", "e"]
    assert tokens(store) == ["c"]


def test_everything_expires():
    store = store_with(*[(str(i), "x", i) for i in range(6)])
    assert store.clean_up(now=99_999) == ["0", "1", "2", "3", "4", "5"]
    assert tokens(store) == []


def test_user_is_logged_out_everywhere():
    store = store_with(("a", "ann", 0), ("b", "ann", 0), ("c", "bob", 0), ("d", "ann", 0))
    assert store.log_out("ann") == ["a", "b", "d"]
    assert tokens(store) == ["c"]


def test_apart_sessions_expire():
    store = store_with(("a", "x", 0), ("b", "y", 9000), ("c", "z", 0))
    assert store.clean_up(now=10_000) == ["a", "c"]
    assert tokens(store) == ["b"]


def test_idle_limit_itself_is_allowed():
    store = store_with(("a", "x", 0))
    assert store.clean_up(now=3600) == []
    assert store.clean_up(now=3601) == ["a"]


def test_open_panel_sees_the_clean_up():
    store = store_with(("a", "ann", 0), ("b", "bob", 9000))
    panel = Panel(store)
    store.clean_up(now=10_000)
    assert panel.users() == ["bob"]
    store.open("c", "cy", now=10_000)
    assert panel.users() == ["bob", "cy"]


def test_order_of_the_others_is_kept():
    store = store_with(("d", "x", 9000), ("a", "y", 0), ("c", "x", 9000), ("b", "x", 9000))
    store.clean_up(now=10_000)
    assert tokens(store) == ["d", "c", "b"]


def test_token_can_be_used_again_afterwards():
    store = store_with(("a", "x", 0))
    with pytest.raises(ValueError):
        store.open("a", "y", now=1)
    store.clean_up(now=10_000)
    assert store.open("a", "y", now=10_000).user == "y"
