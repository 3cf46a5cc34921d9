"""Summaries as text."""

from sensor.station import Station


def show(station: Station) -> str:
    """One sensor a line."""
    return "\n".join(
        f"{name}: {s.count} values, mean {s.mean:.1f}, spread {s.spread():.2f}"
        for name, s in sorted(station.sensors.items())
    )
