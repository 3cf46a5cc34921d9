from mixer.playlist import Playlist
from mixer.volume import Volume


def test_quieter():
    volume = Volume(8)
    volume.quieter()
    volume.quieter()
    assert volume.level == 0
    assert volume.lamp == "mute"


def test_skip_forward_and_back():
    playlist = Playlist(["one", "two", "three"])
    assert playlist.skip(2) == "three"
    assert playlist.skip(-1) == "two"
