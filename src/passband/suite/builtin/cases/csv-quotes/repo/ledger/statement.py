"""Whole statements."""

from dataclasses import dataclass

from ledger.amount import cents
from ledger.fields import BadLine, split_fields


@dataclass(frozen=True)
class Entry:
    """One booking."""

    day: str
    text: str
    cents: int


def read_statement(source: str) -> list[Entry]:
    """Read one booking a line; empty lines are skipped."""
    entries = []
    for number, line in enumerate(source.splitlines(), start=1):
        if not line.strip():
            continue
        fields = split_fields(line)
        if len(fields) != 3:
            raise BadLine(f"line {number}: 3 fields wanted, {len(fields)} found")
        day, text, amount = fields
        entries.append(Entry(day, text, cents(amount)))
    return entries
