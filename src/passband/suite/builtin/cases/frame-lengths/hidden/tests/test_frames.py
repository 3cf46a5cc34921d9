import pytest

from wire import FrameError, FrameReader, encode, encode_all

TEXTS = ["café", "", "naïve 😀", "plain", "€"]


def test_length_counts_bytes():
    assert encode("café") == b"5:caf\xc3\xa9"
    assert encode_all(["€", "a"]) == b"3:\xe2\x82\xac1:a"


def test_reads_frames_of_the_peer():
    data = b"5:caf\xc3\xa94:\xf0\x9f\x98\x802:ok"
    assert FrameReader().feed(data) == ["café", "😀", "ok"]


def test_character_split_between_chunks():
    reader = FrameReader()
    texts = []
    for byte in b"5:caf\xc3\xa92:ok":
        texts += reader.feed(bytes([byte]))
    assert texts == ["café", "ok"]
    assert not reader.pending


def test_round_trip():
    assert FrameReader().feed(encode_all(TEXTS)) == TEXTS


def test_ascii_byte_by_byte():
    reader = FrameReader()
    assert [reader.feed(bytes([b])) for b in b"2:ab"] == [[], [], [], ["ab"]]


def test_pending_while_incomplete():
    reader = FrameReader()
    assert reader.feed(b"5:ab") == []
    assert reader.pending
    assert reader.feed(b"cde") == ["abcde"]
    assert not reader.pending


def test_empty_frame():
    assert encode("") == b"0:"
    assert FrameReader().feed(b"0:0:") == ["", ""]


def test_bad_length_is_refused():
    with pytest.raises(FrameError):
        FrameReader().feed(b"x:abc")
    with pytest.raises(FrameError):
        FrameReader().feed(b"-1:abc")


def test_endless_length_is_refused():
    with pytest.raises(FrameError):
        FrameReader().feed(b"1234567")
