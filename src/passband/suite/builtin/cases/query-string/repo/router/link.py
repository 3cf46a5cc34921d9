"""Whole links."""

from router.escape import quote
from router.query import parse


def build(path: str, **values: str) -> str:
    """A link with the values in the order given."""
    pairs = [f"{quote(name)}={quote(value)}" for name, value in values.items()]
    return f"{path}?{'&'.join(pairs)}" if pairs else path


def parse_link(link: str) -> tuple[str, dict[str, list[str]]]:
    """Path and values."""
    path, _, query = link.partition("?")
    return path, parse(query)
