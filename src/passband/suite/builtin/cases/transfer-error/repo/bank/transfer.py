"""Moving money."""

from collections.abc import Iterable

from bank.accounts import Accounts
from bank.transaction import Transaction


def transfer(accounts: Accounts, source: str, target: str, amount: int) -> None:
    """Move an amount from one account to another."""
    with Transaction(accounts):
        accounts.deposit(target, amount)
        accounts.withdraw(source, amount)


def transfer_all(accounts: Accounts, moves: Iterable[tuple[str, str, int]]) -> int:
    """Make several moves or none, and return how many there were."""
    count = 0
    with Transaction(accounts):
        for source, target, amount in moves:
            transfer(accounts, source, target, amount)
            count += 1
    return count
