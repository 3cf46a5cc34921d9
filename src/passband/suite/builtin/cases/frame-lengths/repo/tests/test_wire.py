from wire import FrameReader, encode, encode_all


def test_encode():
    assert encode("hello") == b"5:hello"


def test_two_frames_in_one_chunk():
    assert FrameReader().feed(encode_all(["one", "three"])) == ["one", "three"]
