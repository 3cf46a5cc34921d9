from editor import Buffer


def test_undo_a_word():
    buffer = Buffer("a")
    buffer.type("b")
    assert buffer.undo() == 1
    assert buffer.text == "a"


def test_replace_counts():
    buffer = Buffer("a-b-c")
    assert buffer.replace("-", "+") == 2
    assert buffer.text == "a+b+c"
