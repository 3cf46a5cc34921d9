import pytest

from bank import Accounts, InsufficientFunds, Transaction, UnknownAccount, transfer, transfer_all


def test_transfer_without_cover_raises():
    with pytest.raises(InsufficientFunds):
        transfer(Accounts(ann=100, bob=0), "ann", "bob", 500)


def test_unknown_account_raises():
    with pytest.raises(UnknownAccount):
        transfer(Accounts(ann=100), "ann", "bbo", 50)


def test_error_inside_a_transaction_comes_out():
    accounts = Accounts(ann=100)
    with pytest.raises(ZeroDivisionError):
        with Transaction(accounts) as transaction:
            accounts.withdraw("ann", 100 // 0)
    assert transaction.committed is False


def test_failed_transfer_moves_nothing():
    accounts = Accounts(ann=100, bob=0)
    try:
        transfer(accounts, "ann", "bob", 500)
    except InsufficientFunds:
        pass
    assert accounts.balances == {"ann": 100, "bob": 0}


def test_several_moves():
    accounts = Accounts(ann=100, bob=0, cy=0)
    moves = [("ann", "bob", 70), ("bob", "cy", 20)]
    assert transfer_all(accounts, moves) == 2
    assert accounts.balances == {"ann": 30, "bob": 50, "cy": 20}


def test_one_bad_move_undoes_the_others():
    accounts = Accounts(ann=100, bob=0)
    with pytest.raises(InsufficientFunds):
        transfer_all(accounts, [("ann", "bob", 70), ("ann", "bob", 70)])
    assert accounts.balances == {"ann": 100, "bob": 0}


def test_transaction_that_went_well():
    accounts = Accounts(ann=100)
    with Transaction(accounts) as transaction:
        accounts.withdraw("ann", 30)
    assert transaction.committed is True
    assert accounts.balances == {"ann": 70}
