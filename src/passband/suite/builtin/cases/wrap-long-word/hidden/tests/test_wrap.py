import pytest

from label import frame, wrap


def test_word_wider_than_the_label():
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrap("abcdefgh", 4) == ["abcd", "efgh"]


def test_long_word_between_others():
    assert wrap("of abcdefg h ij", 4) == ["of", "abcd", "efg", "h ij"]
    assert frame("abcd e", 3) == "+---+\n|abc|\n|d e|\n+---+"


def test_word_as_wide_as_the_label():
    assert wrap("abcd ef", 4) == ["abcd", "ef"]


def test_words_that_just_fit():
    assert wrap("ab cd ef", 5) == ["ab cd", "ef"]


def test_white_space_does_not_matter():
    assert wrap("  ab \n\t cd ", 5) == ["ab cd"]


def test_nothing_to_print():
    assert wrap("", 5) == []
    assert wrap("   ", 5) == []


def test_no_width():
    with pytest.raises(ValueError):
        wrap("ab", 0)
