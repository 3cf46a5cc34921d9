"""All or nothing."""

from types import TracebackType

from bank.accounts import Accounts


class Transaction:
    """Puts every balance back if the block under ``with`` raises."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.committed = False

    def __enter__(self) -> "Transaction":
        self._before = dict(self.accounts.balances)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if kind is None:
            self.committed = True
        else:
            self.accounts.balances = self._before
        return True
