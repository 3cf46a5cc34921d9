from pathlib import Path

from prefs import load, save

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_windows_line_endings():
    prefs = load(EXAMPLES / "windows.ini")
    assert prefs == {"general": {"language": "français"}, "window": {"colour": "grün"}}


def test_what_is_saved_can_be_loaded(tmp_path):
    save(tmp_path / "p.ini", {"a": {"x": "1"}, "b": {}})
    assert load(tmp_path / "p.ini") == {"a": {"x": "1"}, "b": {}}
