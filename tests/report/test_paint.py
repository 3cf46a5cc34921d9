import re

import pytest

from passband.compare import compare_runs
from passband.report import paint, render_comparison, to_json
from tests.tables import table


@pytest.fixture
def comparison():
    return compare_runs(table({f"c{i}": "PPFF" for i in range(9)}), table({f"c{i}": "PPPP" for i in range(9)}))


def test_colour_adds_nothing_but_colour(comparison):
    """Without its escapes a painted report is the report, and the verdict is green."""
    text = render_comparison(comparison)
    painted = paint(text)
    assert re.sub(r"\x1b\[\d+m", "", painted) == text
    assert painted.startswith("\x1b[1m\x1b[32mBETTER\x1b[0m")
    assert "\x1b[32m▲ better\x1b[0m" in painted


def test_json_is_never_painted(comparison):
    """No line of JSON looks like a verdict."""
    data = to_json(comparison)
    assert paint(data) == data
