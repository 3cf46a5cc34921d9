import pytest

from access import Desk, clock
from access.desk import Refused

START = 4_000_000_000


def test_token_counts_from_when_it_is_issued(monkeypatch):
    desk = Desk()
    monkeypatch.setattr(clock, "now", lambda: START)
    token = desk.issue("ann")
    assert token.expires == START + 3600
    assert desk.check(token.number) == "ann"


def test_later_token_lives_longer(monkeypatch):
    desk = Desk(lifetime=100)
    times = [START, START + 50]
    tokens = []
    for moment in times:
        monkeypatch.setattr(clock, "now", lambda moment=moment: moment)
        tokens.append(desk.issue("ann"))
    assert [token.expires for token in tokens] == [START + 100, START + 150]


def test_token_runs_out(monkeypatch):
    desk = Desk(lifetime=100)
    token = desk.issue("ann", at=START)
    monkeypatch.setattr(clock, "now", lambda: START + 99)
    assert desk.check(token.number) == "ann"
    monkeypatch.setattr(clock, "now", lambda: START + 100)
    with pytest.raises(Refused, match="expired"):
        desk.check(token.number)


def test_time_given_by_hand():
    desk = Desk(lifetime=10)
    assert desk.issue("ann", at=500).expires == 510


def test_time_zero_is_a_time():
    desk = Desk(lifetime=10)
    token = desk.issue("ann", at=0)
    assert token.expires == 10
    assert desk.check(token.number, at=0) == "ann"


def test_tokens_are_numbered():
    desk = Desk()
    assert [desk.issue("ann", at=1).number for _ in range(3)] == [1, 2, 3]


def test_unknown_token():
    with pytest.raises(Refused, match="unknown"):
        Desk().check(7)
