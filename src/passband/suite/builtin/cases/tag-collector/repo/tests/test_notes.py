from notes import Note, Notebook


def test_tags_are_normalised():
    note = Note("Trip", tags=[])
    note.tag("#Summer  Holiday")
    assert note.tags == ["summer-holiday"]


def test_titles_are_kept_in_order():
    book = Notebook()
    book.write("b")
    book.write("a")
    assert [note.title for note in book.notes] == ["b", "a"]
