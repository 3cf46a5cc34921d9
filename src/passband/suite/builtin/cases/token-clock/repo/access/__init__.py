"""Access tokens that run out."""

from access.desk import Desk

__all__ = ["Desk"]
