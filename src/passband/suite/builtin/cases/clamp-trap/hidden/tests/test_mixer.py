import pytest

from mixer.playlist import Playlist
from mixer.ranges import clamp
from mixer.volume import Volume


def test_volume_can_be_full():
    assert Volume(100).level == 100
    assert Volume(250).level == 100


def test_stepping_up_reaches_the_top():
    volume = Volume(92)
    for _ in range(4):
        volume.louder()
    assert volume.level == 100
    volume.quieter()
    assert volume.level == 95


def test_loud_at_full_volume():
    volume = Volume(100)
    assert volume.lamp == "loud"
    assert volume.gain() == 1.0


def test_lamp_below_full_volume():
    assert Volume(99).lamp == "on"
    assert Volume(0).lamp == "mute"


def test_half_volume_is_half_gain():
    assert Volume(50).gain() == 0.5


def test_volume_never_below_zero():
    assert Volume(-20).level == 0


def test_skip_past_the_end_stays_on_the_last_track():
    playlist = Playlist(["one", "two"])
    assert playlist.skip(5) == "two"
    assert playlist.index == 1
    assert playlist.skip() == "two"


def test_skip_past_the_start_stays_on_the_first_track():
    playlist = Playlist(["one", "two"])
    assert playlist.skip(-3) == "one"


def test_clamp_counts_like_range():
    assert [clamp(i, 2, 5) for i in range(7)] == [2, 2, 2, 3, 4, 4, 4]


def test_clamp_refuses_an_empty_range():
    with pytest.raises(ValueError):
        clamp(1, 5, 5)
