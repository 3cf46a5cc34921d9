import json

import pytest

from .runner import passband


@pytest.fixture
def claim(tmp_path):
    """The claim that `review --example` prints, as a file."""
    path = tmp_path / "claim.toml"
    path.write_text(passband("review", "--example").out)
    return path


def test_text_json_and_markdown_say_one_thing(claim):
    """All three forms carry the outcome, the errors and the exit code of one review."""
    text, made, md = (passband("review", str(claim), "--format", form) for form in ("text", "json", "md"))
    assert {text.code, made.code, md.code} == {3}
    found = json.loads(made.out)
    assert found["outcome"] == "unsupported"
    assert text.out.startswith("UNSUPPORTED  +2.4 points")
    assert md.out.startswith("### ✗ unsupported: +2.4 points")
    for row in found["rows"]:
        assert f"{100 * row['standard_error']:.2f}" in text.out
        assert f"| {100 * row['standard_error']:.2f} |" in md.out
    for ask in found["asks"]:
        assert ask in md.out


def test_a_fault_shows_the_line_and_a_caret(claim):
    """A misspelt key is one line of error, then the line of the file with carets."""
    claim.write_text(claim.read_text().replace("tasks =", "taks ="))
    ran = passband("review", str(claim))
    error, line, carets = ran.err.rstrip("\n").split("\n")
    assert ran.code == 2
    assert error.endswith("unknown key 'taks'; did you mean 'tasks'?")
    assert "taks = 500" in line
    assert carets.strip() == "| ^^^^"


def test_a_claim_must_be_named():
    """No file, and a file that is not there, are usage errors that say how to begin."""
    for arguments in ((), ("none.toml",)):
        ran = passband("review", *arguments)
        assert ran.code == 2
        assert "passband review --example" in ran.err


def test_a_hostile_name_stays_text(claim):
    """Control characters, pipes and tags of a claim's name reach neither the terminal nor the table."""
    claim.write_text(claim.read_text().replace("a new advantage estimator", "x\\u001b[31m|<b>@all"))
    assert "\x1b" not in passband("review", str(claim)).out
    md = passband("review", str(claim), "--format", "md").out
    assert "\x1b" not in md
    assert "<b>" not in md
    assert r"\\x1b\[31m\|&lt;b&gt;" in md
