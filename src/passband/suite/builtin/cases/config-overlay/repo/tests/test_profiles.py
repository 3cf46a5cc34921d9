from layers.defaults import make_defaults
from layers.profiles import Profiles, lookup


def test_a_profile_changes_a_nested_value():
    profiles = Profiles(make_defaults(), {"narrow": {"log": {"format": {"width": 40}}}})
    settings = profiles.load("narrow")
    assert lookup(settings, "log.format.width") == 40
    assert lookup(settings, "log.level") == "info"


def test_a_profile_adds_plugins():
    profiles = Profiles(make_defaults(), {"debug": {"plugins+": ["profiler"]}})
    assert profiles.load("debug")["plugins"] == ["core", "profiler"]
