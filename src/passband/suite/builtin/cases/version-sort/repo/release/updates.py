"""What to offer to whom."""

from collections.abc import Iterable

from release.version import Version


def latest(published: Iterable[str], *, stable_only: bool = False) -> str | None:
    """The newest of the published versions, or None if there is none."""
    candidates = [(Version.parse(text), text) for text in published]
    if stable_only:
        candidates = [pair for pair in candidates if pair[0].is_stable]
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def upgrade(current: str, published: Iterable[str], *, stable_only: bool = False) -> str | None:
    """The version to offer, or None if the current one is as new."""
    best = latest(published, stable_only=stable_only)
    if best is not None and Version.parse(current) < Version.parse(best):
        return best
    return None
