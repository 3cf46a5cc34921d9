"""The board as text."""

from arena.board import Board


def show(board: Board) -> str:
    """One player a line."""
    return "\n".join(f"{rank}. {name} ({points})" for rank, name, points in board.standings())
