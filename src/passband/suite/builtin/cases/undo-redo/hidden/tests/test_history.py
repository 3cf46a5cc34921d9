from editor import Buffer
from editor.history import History


def test_typing_after_undo_forgets_the_redo():
    buffer = Buffer()
    buffer.type("cat")
    buffer.undo()
    buffer.type("dog")
    assert buffer.redo() == 0
    assert buffer.text == "dog"
    assert buffer.undo() == 1
    assert buffer.text == ""


def test_redo_after_new_text_does_nothing():
    history = History("a")
    for state in ["b", "c", "d"]:
        history.record(state)
    history.back()
    history.back()
    history.record("x")
    assert history.forward() is False
    assert history.state == "x"


def test_several_undos_then_redos():
    buffer = Buffer()
    for word in ["a", "b", "c"]:
        buffer.type(word)
    assert buffer.undo(2) == 2
    assert buffer.text == "a"
    assert buffer.redo(5) == 2
    assert buffer.text == "abc"


def test_undo_after_redo():
    buffer = Buffer()
    buffer.type("a")
    buffer.type("b")
    buffer.undo(2)
    buffer.redo(2)
    assert buffer.undo() == 1
    assert buffer.text == "a"


def test_change_without_effect_keeps_the_redo():
    buffer = Buffer("abc")
    buffer.type("d")
    buffer.undo()
    assert buffer.replace("z", "y") == 0
    assert buffer.redo() == 1
    assert buffer.text == "abcd"


def test_limit_drops_the_oldest_state():
    buffer = Buffer(limit=2)
    for word in ["a", "b", "c"]:
        buffer.type(word)
    assert buffer.undo(9) == 2
    assert buffer.text == "a"


def test_undo_on_a_fresh_buffer():
    assert Buffer("x").undo() == 0
