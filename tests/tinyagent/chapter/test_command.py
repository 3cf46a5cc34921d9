"""``tinyagent chapter``."""

import pytest
from click.testing import CliRunner

from passband.errors import UnknownNameError, UsageError
from tinyagent.chapter import Lab, find_section, section_names
from tinyagent.cli import cli


def chapter(*arguments):
    """Run the command."""
    return CliRunner().invoke(cli, ["chapter", *arguments], standalone_mode=False)


def test_sections_in_the_chapters_order():
    """Those there are, each with a function; exercises come last."""
    names = section_names()
    assert {"17.1", "17.2", "17.3", "17.7", "exercise-2", "exercise-3"} <= set(names)
    assert list(names) == sorted(names, key=lambda name: (name.startswith("e"), name))
    assert all(callable(find_section(name)) for name in names)


def test_a_section_that_does_not_exist_is_answered_with_those_that_do(tmp_path):
    """Before anything is run or written."""
    error = chapter("17.2", "17.77", "--out", str(tmp_path / "out")).exception
    assert isinstance(error, UnknownNameError)
    assert "17.7" in str(error)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    """It is a usage error that names the folder."""
    (tmp_path / "file").touch()
    error = chapter("17.2", "--out", str(tmp_path / "file/out"), "--cache", str(tmp_path)).exception
    assert isinstance(error, UsageError)
    assert "file/out" in str(error)


def test_help_says_how_sections_are_named():
    """With examples."""
    shown = chapter("--help").output
    assert "exercise-3" in shown
    assert "tinyagent chapter 17.1" in shown


def test_the_same_seed_writes_the_same_bytes_and_another_seed_others(tmp_path):
    """Every file of a section and the index, twice; the simulation moves with the seed."""
    found = {}
    for name, seed in (("one", "0"), ("two", "0"), ("other", "1")):
        out = tmp_path / name
        result = chapter("17.2", "--seed", seed, "--out", str(out), "--cache", str(tmp_path / "cache"))
        assert result.exception is None
        assert "pass@k and its unbiased estimator" in result.output
        found[name] = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.*") if path.is_file()}
    assert found["one"] == found["two"]
    changed = {path for path, content in found["one"].items() if content != found["other"][path]}
    assert "17.2/bias.csv" in changed
    assert "17.2/product.csv" not in changed


@pytest.mark.parametrize("name", ["17.1", "17.3", "17.7", pytest.param("exercise-3", marks=pytest.mark.slow)])
def test_sections_run_on_one_seed_from_what_is_shipped(name, tmp_path):
    """Nothing is trained for them, and every one says what it measured."""
    lab = Lab(cache=tmp_path, seeds=(0,))
    section = find_section(name)(lab)
    assert section.number == name
    assert section.measured
    assert section.differs
    assert all(table.rows for table in section.tables)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("runs-")]
