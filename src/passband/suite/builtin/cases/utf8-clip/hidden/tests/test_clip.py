import pytest

from sms.clip import clip, clip_with_mark
from sms.outbox import Outbox
from sms.parts import segments


def test_clip_inside_a_character():
    assert clip("aé", 2) == "a"
    assert clip("€uro", 2) == ""
    assert [clip("x😀y", n) for n in range(7)] == ["", "x", "x", "x", "x", "x😀", "x😀y"]


def test_clip_on_a_character():
    assert clip("aé", 3) == "aé"
    assert clip("abc", 2) == "ab"
    assert clip("abc", 9) == "abc"


def test_segments_of_a_long_greeting():
    text = "Grüße aus Köln 😀 und schöne Ostern, süße Träume €€€"
    for limit in range(4, 30):
        parts = segments(text, limit)
        assert "".join(parts) == text
        assert all(len(part.encode()) <= limit for part in parts)


def test_segments_are_as_full_as_can_be():
    assert segments("abcdefgh", 4) == ["abcd", "efgh"]
    assert segments("äöü", 4) == ["äö", "ü"]


def test_clip_with_mark_between_characters():
    assert clip_with_mark("Grüße aus Köln", 6) == "Gr..."


def test_no_mark_when_all_fits():
    assert clip_with_mark("Köln", 5) == "Köln"


def test_parts_cannot_be_too_small():
    with pytest.raises(ValueError):
        segments("abc", 3)


def test_empty_message_is_one_part():
    assert Outbox().send("555", "") == 1
