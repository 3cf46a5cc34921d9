from label import frame, wrap


def test_wrap_between_words():
    assert wrap("keep dry and cool", 8) == ["keep dry", "and cool"]


def test_frame():
    assert frame("keep cool", 5) == "+-----+\n|keep |\n|cool |\n+-----+"
