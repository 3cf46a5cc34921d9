import pytest

from prefs import PrefsError, load, save

BOM = b"\xef\xbb\xbf"


def loaded(tmp_path, raw):
    path = tmp_path / "prefs.ini"
    path.write_bytes(raw)
    return load(path)


def test_byte_order_mark_is_skipped(tmp_path):
    raw = BOM + "[general]\r\nlanguage = français\r\n".encode()
    assert loaded(tmp_path, raw) == {"general": {"language": "français"}}


def test_comment_after_a_byte_order_mark(tmp_path):
    assert loaded(tmp_path, BOM + b"; saved by editor\n[a]\nx = 1\n") == {"a": {"x": "1"}}


def test_accents_without_a_byte_order_mark(tmp_path):
    assert loaded(tmp_path, "[größe]\nmaß = 12 ″\n".encode()) == {"größe": {"maß": "12 ″"}}


def test_saved_file_starts_with_the_section(tmp_path):
    save(tmp_path / "p.ini", {"a": {"x": "é"}})
    assert (tmp_path / "p.ini").read_bytes() == "[a]\nx = é\n".encode()


def test_mark_inside_a_value_is_kept(tmp_path):
    raw = b"[a]\nx = 1" + BOM + b"2\n"
    assert loaded(tmp_path, raw) == {"a": {"x": "1\ufeff2"}}


def test_other_encodings_are_refused(tmp_path):
    with pytest.raises(PrefsError, match="prefs.ini"):
        loaded(tmp_path, "[a]\nx = é\n".encode("latin-1"))


def test_stray_line_is_refused_with_its_number(tmp_path):
    with pytest.raises(PrefsError, match="line 2"):
        loaded(tmp_path, b"[a]\nnonsense\n")


def test_missing_file_has_no_preferences(tmp_path):
    assert load(tmp_path / "none.ini") == {}
