"""Events and who wants to hear of them."""

from bus.bus import Bus

__all__ = ["Bus"]
