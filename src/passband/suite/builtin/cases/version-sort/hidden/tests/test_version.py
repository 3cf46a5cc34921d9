import pytest

from release.updates import latest, upgrade
from release.version import Version


def in_order(*texts):
    return [text for _, text in sorted((Version.parse(text), text) for text in texts)]


def test_release_comes_after_its_candidates():
    assert in_order("2.0.0", "2.0.0-rc1", "1.9") == ["1.9", "2.0.0-rc1", "2.0.0"]
    assert Version.parse("2.0") > Version.parse("2.0.0-rc12")


def test_latest_prefers_the_release():
    assert latest(["2.0.0-rc1", "2.0.0", "2.0.0-beta2"]) == "2.0.0"


def test_upgrade_from_candidate_to_release():
    assert upgrade("2.0.0-rc1", ["1.9", "2.0.0"]) == "2.0.0"
    assert upgrade("2.0.0", ["2.0.0-rc1"]) is None


def test_candidates_in_order():
    assert in_order("1.0-rc2", "1.0-beta", "1.0-rc10", "1.0-alpha3") == [
        "1.0-alpha3",
        "1.0-beta",
        "1.0-rc2",
        "1.0-rc10",
    ]


def test_candidate_of_the_next_version_is_newer():
    assert in_order("2.1-alpha", "2.0", "2.0.5") == ["2.0", "2.0.5", "2.1-alpha"]


def test_trailing_zeros_do_not_matter():
    assert Version.parse("1.0") == Version.parse("v1.0.0")
    assert not Version.parse("1.0") < Version.parse("1.0.0")


def test_stable_only_leaves_out_candidates():
    assert latest(["1.0", "2.0-rc1"], stable_only=True) == "1.0"
    assert latest(["2.0-rc1"], stable_only=True) is None


def test_nonsense_is_refused():
    with pytest.raises(ValueError):
        Version.parse("one.two")
