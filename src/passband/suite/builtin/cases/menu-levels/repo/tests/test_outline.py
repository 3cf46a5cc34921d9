from outline import listing, read

BOOK = "Book\n  Part\n    Chapter\n  Index"


def test_what_is_read_can_be_listed():
    assert listing(read(BOOK)) == BOOK


def test_title_alone():
    assert listing(read(BOOK), 0) == "Book"


def test_count_and_height():
    assert (read(BOOK).count(), read(BOOK).height()) == (4, 2)
