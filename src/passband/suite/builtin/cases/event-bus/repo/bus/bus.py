"""The bus."""

from typing import Any

from bus.handlers import Callback, Handler


class Bus:
    """Calls handlers in the order in which they were registered."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}

    def on(self, event: str, callback: Callback) -> None:
        """Call it every time the event is emitted."""
        self._handlers.setdefault(event, []).append(Handler(callback))

    def once(self, event: str, callback: Callback) -> None:
        """Call it the next time the event is emitted."""
        self._handlers.setdefault(event, []).append(Handler(callback, once=True))

    def off(self, event: str, callback: Callback) -> bool:
        """Forget a callback; False if it was not registered."""
        for handler in self._handlers.get(event, []):
            if handler.callback == callback:
                self._handlers[event].remove(handler)
                return True
        return False

    def emit(self, event: str, **data: Any) -> int:
        """Call the handlers of an event and return how many were called."""
        called = 0
        for handler in self._handlers.get(event, []):
            if handler.once:
                self.off(event, handler.callback)
            handler(**data)
            called += 1
        return called
