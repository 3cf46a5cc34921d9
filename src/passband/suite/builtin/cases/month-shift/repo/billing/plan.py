"""Plans."""

from dataclasses import dataclass
from datetime import date

from billing.months import add_months


@dataclass(frozen=True)
class Plan:
    """A subscription billed every few months."""

    start: date
    every: int = 1

    def invoice(self, number: int) -> date:
        """The day of an invoice; the first has number 0 and falls on the start.

        Always counted from the start, so that the 31st does not become the 28th for good.
        """
        if number < 0:
            raise ValueError("invoices are numbered from 0")
        return add_months(self.start, number * self.every)

    def cancel_by(self, number: int) -> date:
        """The last day to cancel before an invoice: a month earlier."""
        return add_months(self.invoice(number), -1)

    def schedule(self, count: int) -> list[date]:
        return [self.invoice(number) for number in range(count)]
