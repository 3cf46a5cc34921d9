import pytest

from outline import Node, listing, read
from outline.node import prune

TEXT = "Book\n  One\n    A\n      a1\n      a2\n    B\n  Two\n    C"


def test_two_levels_of_a_deep_tree():
    short = prune(read(TEXT), 2)
    assert (short.height(), short.count()) == (2, 6)


def test_one_level():
    short = prune(read(TEXT), 1)
    assert [child.title for child in short.children] == ["One", "Two"]
    assert [child.children for child in short.children] == [[], []]


def test_listing_to_a_level():
    assert listing(read(TEXT), 2) == "Book\n  One\n    A\n    B\n  Two\n    C"


def test_no_levels():
    assert prune(read(TEXT), 0) == Node("Book")


def test_all_levels():
    assert listing(read(TEXT)) == TEXT
    assert prune(read(TEXT), -1) == read(TEXT)


def test_more_levels_than_there_are():
    assert prune(read(TEXT), 10) == read(TEXT)


def test_tree_itself_is_not_cut():
    root = read(TEXT)
    prune(root, 1)
    prune(root, 0).children.append(Node("extra"))
    assert listing(root) == TEXT


def test_wrong_indentation_is_refused():
    with pytest.raises(ValueError, match="line 2"):
        read("Book\n   One")
