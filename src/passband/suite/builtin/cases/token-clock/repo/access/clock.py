"""The time, in one place so that it can be replaced."""

import time


def now() -> int:
    """Seconds since the epoch."""
    return int(time.time())
