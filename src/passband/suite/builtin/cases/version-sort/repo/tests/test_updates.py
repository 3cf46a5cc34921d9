from release.updates import latest, upgrade


def test_latest_release():
    assert latest(["1.9", "1.10", "1.2.7"]) == "1.10"


def test_no_upgrade_to_the_same_version():
    assert upgrade("1.10", ["1.9", "1.10.0"]) is None
