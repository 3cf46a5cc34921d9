"""Points and places."""

from arena.player import Player


class Board:
    """Every player of the season."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}

    def award(self, name: str, points: int) -> None:
        """Give points; they may be negative."""
        self._players.setdefault(name, Player(name)).points += points

    def standings(self) -> list[tuple[int, str, int]]:
        """Rank, name and points of each player, the best first."""
        ordered = sorted(
            self._players.values(),
            key=lambda player: (player.points, player.sort_name),
            reverse=True,
        )
        rows: list[tuple[int, str, int]] = []
        for place, player in enumerate(ordered, start=1):
            tied = bool(rows) and rows[-1][2] == player.points
            rows.append((rows[-1][0] if tied else place, player.name, player.points))
        return rows

    def podium(self, size: int = 3) -> list[str]:
        """Names of the first few."""
        return [name for _, name, _ in self.standings()[:size]]
