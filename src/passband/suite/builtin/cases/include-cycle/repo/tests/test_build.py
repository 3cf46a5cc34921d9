import pytest

from pages import IncludeError, build

SITE = {"home": "hello\n{{ include footer }}", "footer": "-- us"}


def test_include():
    assert build(SITE) == {"footer": "-- us", "home": "hello\n-- us"}


def test_missing_page():
    with pytest.raises(IncludeError, match="there is no page 'nav'"):
        build({"home": "{{ include nav }}"})
