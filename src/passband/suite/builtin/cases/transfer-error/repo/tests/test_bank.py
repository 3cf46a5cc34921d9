import pytest

from bank import Accounts, InsufficientFunds, transfer


def test_transfer():
    accounts = Accounts(ann=100, bob=0)
    transfer(accounts, "ann", "bob", 60)
    assert accounts.balances == {"ann": 40, "bob": 60}


def test_withdraw_too_much():
    with pytest.raises(InsufficientFunds):
        Accounts(ann=100).withdraw("ann", 101)
