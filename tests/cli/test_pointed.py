import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from passband.cli.app import _run, cli
from tests.stored import store_run


def step(text, command):
    """The words of the command that a report proposes as the next."""
    lines = text[text.rindex("next: ") :].removeprefix("next: ").splitlines()
    found = [part.strip() for line in lines for part in line.split("    ") if part.strip().startswith(command)]
    return shlex.split(found[0])[1:]


@pytest.mark.parametrize("case", ["-rf", "--help", "two words", "plain"])
def test_what_a_report_proposes_can_be_run_as_it_stands(case):
    """A case may be called anything: the command that shows it finds it, by a summary and by a comparison."""
    store_run("other.db", "a", {case: "PPPF", "x": "PPPP"})
    store_run("other.db", "b", {case: "FFFF", "x": "PPPP"}, created_at=2.0)
    for asked in (("show", "b"), ("compare", "a", "b")):
        text = CliRunner().invoke(cli, [*asked, "--store", "other.db"], standalone_mode=False).output
        shown = CliRunner().invoke(cli, step(text, "passband show"), standalone_mode=False)
        assert shown.exception is None
        assert shown.output.startswith(case)


@pytest.mark.parametrize("name", ["nope.db", "nope.db#a", "runs/nope", "nope.sqlite3"])
@pytest.mark.parametrize("there", [True, False])
def test_a_missing_file_is_what_is_missing(name, there, capsys):
    """A name that can only be a file's is not looked for among the runs of another store."""
    if there:
        store_run("passband.db", "a", {"x": "P"})
    assert _run(["show", name]) == 2
    assert capsys.readouterr().err.startswith(f"passband: error: {name.partition('#')[0]}: there is no such file; ")
    assert not Path("nope.db").exists()


def test_a_run_that_is_not_there_is_what_is_missing(capsys):
    """A name that a run may have is answered with the runs there are."""
    store_run("passband.db", "model-1-5", {"x": "P"})
    assert _run(["show", "model-1.5"]) == 2
    assert "no run named 'model-1.5'; did you mean 'model-1-5'?" in capsys.readouterr().err
