"""What waits."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Job:
    """A name, a priority (higher goes first) and what to do."""

    name: str
    priority: int = 0
    action: Callable[[], object] = field(default=lambda: None)
    attempts: int = 0
