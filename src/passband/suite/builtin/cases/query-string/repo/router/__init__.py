"""Reading and writing the part of a link after the question mark."""

from router.link import build, parse_link
from router.query import first, parse

__all__ = ["build", "first", "parse", "parse_link"]
