"""Balances."""


class UnknownAccount(LookupError):
    """There is no such account."""


class InsufficientFunds(Exception):
    """The account does not hold that much."""


class Accounts:
    """Balances in cents by name."""

    def __init__(self, **balances: int) -> None:
        self.balances = dict(balances)

    def deposit(self, name: str, amount: int) -> None:
        if amount <= 0:
            raise ValueError("the amount must be above zero")
        if name not in self.balances:
            raise UnknownAccount(name)
        self.balances[name] += amount

    def withdraw(self, name: str, amount: int) -> None:
        if self.balances.get(name, amount) < amount:
            raise InsufficientFunds(name)
        if name not in self.balances:
            raise UnknownAccount(name)
        self.balances[name] -= amount
