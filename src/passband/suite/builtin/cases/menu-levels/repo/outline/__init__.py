"""Outlines: indented text as a tree."""

from outline.listing import listing
from outline.node import Node
from outline.reader import read

__all__ = ["Node", "listing", "read"]
