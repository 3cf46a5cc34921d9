"""Remembering results."""

from collections.abc import Callable
from functools import wraps
from typing import Any


def remember(func: Callable[..., Any]) -> Callable[..., Any]:
    """Call the function once for the same arguments; what raises is not remembered."""
    results: dict[Any, Any] = {}

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        key = args
        if key not in results:
            results[key] = func(*args, **kwargs)
        return results[key]

    wrapper.forget = results.clear
    return wrapper
