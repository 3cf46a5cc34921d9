"""Tracks, one of them current."""

from collections.abc import Sequence

from mixer.ranges import clamp


class Playlist:
    """A list of tracks; skipping past an end stays on the last track there."""

    def __init__(self, tracks: Sequence[str]) -> None:
        if not tracks:
            raise ValueError("a playlist needs a track")
        self.tracks = tuple(tracks)
        self.index = 0

    @property
    def current(self) -> str:
        return self.tracks[self.index]

    def skip(self, count: int = 1) -> str:
        """Go forward, or back for a negative count, and return the track reached."""
        self.index = clamp(self.index + count, 0, len(self.tracks))
        return self.current
