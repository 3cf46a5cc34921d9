"""Cutting a long list into pages."""

from collections.abc import Sequence
from dataclasses import dataclass


class PageNotFound(LookupError):
    """There is no page of that number."""


@dataclass(frozen=True)
class Page:
    """One page; numbers start at 1."""

    number: int
    pages: int
    items: tuple[str, ...]

    @property
    def has_next(self) -> bool:
        return self.number < self.pages


def page_count(total: int, size: int) -> int:
    """How many pages it takes to show ``total`` items; never fewer than one."""
    if size < 1:
        raise ValueError("a page holds at least one item")
    return max(1, total // size + 1)


def paginate(items: Sequence[str], number: int, size: int) -> Page:
    """Return page ``number`` of the items."""
    pages = page_count(len(items), size)
    if not 1 <= number <= pages:
        raise PageNotFound(f"no page {number}, there are {pages}")
    start = (number - 1) * size
    return Page(number, pages, tuple(items[start : start + size]))
