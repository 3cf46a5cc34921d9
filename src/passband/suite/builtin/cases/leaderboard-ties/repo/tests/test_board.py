from arena.board import Board
from arena.show import show


def test_most_points_first():
    board = Board()
    board.award("Bo", 3)
    board.award("Ada", 7)
    assert show(board) == "1. Ada (7)\n2. Bo (3)"


def test_points_add_up():
    board = Board()
    board.award("Bo", 3)
    board.award("Bo", -1)
    assert board.standings() == [(1, "Bo", 2)]
