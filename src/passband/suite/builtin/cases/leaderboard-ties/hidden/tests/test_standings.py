from arena.board import Board


def board(**points):
    result = Board()
    for name, value in points.items():
        result.award(name, value)
    return result


def test_ties_are_listed_by_name():
    assert board(Cy=10, Ada=10, Bo=10, Di=12).standings() == [
        (1, "Di", 12),
        (2, "Ada", 10),
        (2, "Bo", 10),
        (2, "Cy", 10),
    ]


def test_podium_with_a_tie_for_third():
    assert board(Eve=5, Dan=5, Ada=9, Bo=7).podium() == ["Ada", "Bo", "Dan"]


def test_capitals_do_not_matter_without_ties():
    assert board(bo=1, Ada=2, cy=3).podium() == ["cy", "Ada", "bo"]


def test_ranks_after_a_tie_are_skipped():
    assert [row[0] for row in board(a=4, b=4, c=4, d=1, e=0).standings()] == [1, 1, 1, 4, 5]


def test_negative_points_come_last():
    assert board(Ada=-2, Bo=0, Cy=3).podium(5) == ["Cy", "Bo", "Ada"]


def test_two_ties():
    rows = board(a=1, b=1, c=2, d=2).standings()
    assert [(rank, points) for rank, _, points in rows] == [(1, 2), (1, 2), (3, 1), (3, 1)]


def test_empty_board():
    assert board().standings() == []
