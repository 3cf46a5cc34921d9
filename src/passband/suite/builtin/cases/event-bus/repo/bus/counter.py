"""Counting events."""

from bus.bus import Bus


class EventCounter:
    """How often events were emitted since it was attached."""

    def __init__(self, bus: Bus, *events: str) -> None:
        self.counts = dict.fromkeys(events, 0)
        for event in events:
            bus.on(event, lambda event=event, **data: self._count(event))

    def _count(self, event: str) -> None:
        self.counts[event] += 1
