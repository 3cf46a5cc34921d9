import pytest

from layers.defaults import make_defaults
from layers.merge import overlay
from layers.profiles import Profiles, UnknownProfile, lookup

CHANGES = {
    "debug": {"log": {"level": "debug", "format": {"width": 120}}, "plugins+": ["profiler"]},
    "live": {"log": {"format": {"colour": False}}},
}


def test_loading_a_profile_leaves_the_defaults_alone():
    defaults = make_defaults()
    Profiles(defaults, CHANGES).load("debug")
    assert defaults["log"] == {"level": "info", "format": {"colour": True, "width": 80}}
    assert defaults["plugins"] == ["core"]


def test_profiles_do_not_see_each_other():
    profiles = Profiles(make_defaults(), CHANGES)
    profiles.load("debug")
    live = profiles.load("live")
    assert lookup(live, "log.level") == "info"
    assert lookup(live, "log.format.width") == 80
    assert lookup(live, "log.format.colour") is False


def test_added_plugins_stay_in_their_profile():
    profiles = Profiles(make_defaults(), CHANGES)
    profiles.load("debug")
    assert profiles.load("debug")["plugins"] == ["core", "profiler"]
    assert profiles.load("live")["plugins"] == ["core"]
    profiles.load("live")["plugins"].append("late")
    assert profiles.defaults["plugins"] == ["core"]


def test_overlay_does_not_keep_the_callers_lists():
    changes = {"paths": ["a"], "extra": {"names": ["x"]}}
    result = overlay({"paths": []}, changes)
    result["paths"].append("b")
    result["extra"]["names"].append("y")
    assert changes == {"paths": ["a"], "extra": {"names": ["x"]}}


def test_the_sink_is_shared():
    defaults = make_defaults()
    profiles = Profiles(defaults, CHANGES)
    profiles.load("debug")["sink"].write("one")
    profiles.load("live")["sink"].write("two")
    assert defaults["sink"].lines == ["one", "two"]


def test_a_value_may_replace_a_mapping():
    assert overlay({"log": {"level": "info"}}, {"log": None}) == {"log": None}


def test_a_mapping_may_replace_a_value():
    assert overlay({"log": None}, {"log": {"level": "info"}}) == {"log": {"level": "info"}}


def test_adding_to_a_missing_list_makes_it():
    assert overlay({}, {"paths+": ["a", "b"]}) == {"paths": ["a", "b"]}


def test_unknown_profile_is_refused():
    with pytest.raises(UnknownProfile):
        Profiles(make_defaults(), CHANGES).load("nope")
