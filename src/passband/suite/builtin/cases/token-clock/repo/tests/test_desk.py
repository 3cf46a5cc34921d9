import pytest

from access import Desk
from access.desk import Refused


def test_fresh_token():
    desk = Desk()
    assert desk.check(desk.issue("ann").number) == "ann"


def test_old_token():
    desk = Desk()
    token = desk.issue("ann", at=1000)
    with pytest.raises(Refused, match="expired"):
        desk.check(token.number, at=9000)
