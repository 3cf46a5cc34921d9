"""Handlers that know when they are done."""

from collections.abc import Callable
from typing import Any

Callback = Callable[..., Any]


class Handler:
    """A callback, to be called once or every time."""

    def __init__(self, callback: Callback, *, once: bool = False) -> None:
        self.callback = callback
        self.once = once
        self.calls = 0

    def __call__(self, **data: Any) -> None:
        self.calls += 1
        self.callback(**data)
