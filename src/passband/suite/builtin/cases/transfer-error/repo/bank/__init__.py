"""Accounts and transfers."""

from bank.accounts import Accounts, InsufficientFunds, UnknownAccount
from bank.transaction import Transaction
from bank.transfer import transfer, transfer_all

__all__ = [
    "Accounts",
    "InsufficientFunds",
    "Transaction",
    "UnknownAccount",
    "transfer",
    "transfer_all",
]
