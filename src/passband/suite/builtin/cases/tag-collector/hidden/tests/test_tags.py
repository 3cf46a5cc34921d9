import pytest

from notes import Note, Notebook


def test_new_note_has_no_tags():
    Note("first").tag("urgent")
    assert list(Note("second").tags) == []


def test_tags_stay_with_their_note():
    one, two = Note("one"), Note("two")
    one.tag("a")
    two.tag("b")
    assert (list(one.tags), list(two.tags)) == (["a"], ["b"])


def test_search_finds_only_the_tagged_note():
    book = Notebook()
    book.write("plain")
    book.write("milk").tag("shop")
    book.write("late")
    assert book.tagged("#Shop") == ["milk"]
    assert book.cloud() == [("shop", 1)]


def test_tags_given_at_the_start():
    note = Note("one", tags=["x", "y"])
    note.tag("z")
    assert list(note.tags) == ["x", "y", "z"]


def test_same_tag_twice_counts_once():
    note = Note("one", tags=[])
    note.tag("Home")
    note.tag("#home")
    assert list(note.tags) == ["home"]


def test_untag():
    note = Note("one", tags=["x", "y"])
    note.untag("X")
    note.untag("never-there")
    assert list(note.tags) == ["y"]


def test_empty_tag_is_refused():
    with pytest.raises(ValueError):
        Note("one", tags=[]).tag("# ")
