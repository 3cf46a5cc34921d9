"""Attributes that a test sets on the candidate's objects, and how they were before."""

from __future__ import annotations

from typing import Any

__all__ = ["Attributes"]

_NOTHING = object()


class Attributes:
    """Sets attributes, and puts back what a test's own setting of them hid."""

    def __init__(self) -> None:
        self._originals: dict[tuple[int, str], list[Any]] = {}

    def set(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute, and remember what was there."""
        there = getattr(target, "__dict__", {}).get(name, _NOTHING)
        stack = self._originals.setdefault((id(target), name), [target])
        stack.append(there if len(stack) == 1 else stack[1])
        setattr(target, name, value)

    def delete(self, target: Any, name: str) -> None:
        """Delete an attribute; one that the test had set goes back to what it was.

        The stand-in has no ``__dict__`` entry for it, so that what patches attributes takes them for inherited and
        deletes where it means to restore.
        """
        stack = self._originals.get((id(target), name), [target])
        original = stack.pop() if len(stack) > 1 else _NOTHING
        if len(stack) == 1:
            self._originals.pop((id(target), name), None)
        if original is _NOTHING:
            delattr(target, name)
        else:
            setattr(target, name, original)
