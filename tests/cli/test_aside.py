import json
import os
import sys
from pathlib import Path

import pytest

from passband.cli import app
from passband.cli.aside import aside

from .runner import passband

SUITE = '{"id": "one", "inputs": {"question": "?"}, "reference": "1", "grader_spec": {"kind": "exact_match"}}\n'
NOISY = """
import os
import subprocess
import sys

kept = sys.stdout
print("NOISE at import")


def answer(view, seed):
    print("NOISE printed")
    print("NOISE kept", file=kept)
    os.write(1, b"NOISE written\\n")
    subprocess.run(["echo", "NOISE of a program"], check=True)
    return "1"


def harness(views):
    print("NOISE of the harness")


answer.harness = harness


def leave(view, seed):
    sys.exit(0)


def stop(view, seed):
    raise GeneratorExit


async def give_up(view, seed):
    raise KeyboardInterrupt
"""


@pytest.fixture
def noisy():
    """A suite of one case and a module of subjects, where the command runs."""
    Path("suite.jsonl").write_text(SUITE)
    Path("noisy.py").write_text(NOISY)


@pytest.mark.usefixtures("noisy")
def test_what_a_subject_prints_is_not_in_the_report():
    """Prints, kept streams, raw writes and programs of a subject go to standard error; the JSON stands alone."""
    ran = passband("run", "suite.jsonl", "--subject", "python:noisy:answer", "-n", "2", "--format", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["subject"] == "python:noisy:answer"
    assert "NOISE" not in ran.out
    for words in ("at import", "of the harness", "printed", "kept", "written", "of a program"):
        assert f"NOISE {words}" in ran.err


@pytest.mark.usefixtures("noisy")
@pytest.mark.parametrize("name", ["leave", "stop", "give_up"])
def test_a_subject_that_leaves_is_no_result(name):
    """An exit of any kind in a subject errors its samples: incomplete data, and neither a success nor a loss."""
    ran = passband("run", "suite.jsonl", "--subject", f"python:noisy:{name}", "-n", "1", "--attempts", "1")
    assert ran.code == 4
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("line", ["sys.exit(0)", "sys.exit(1)", "raise GeneratorExit"])
def test_a_module_that_leaves_is_a_usage_error(line):
    """A module that exits while it is imported does not choose the command's exit code."""
    Path("suite.jsonl").write_text(SUITE)
    Path("leaves.py").write_text(f"import sys\n{line}\n")
    ran = passband("run", "suite.jsonl", "--subject", "python:leaves:answer")
    assert ran.code == 2
    assert "python:leaves:answer: cannot be imported" in ran.err


def test_standard_output_is_back_afterwards(capfd):
    """Inside the block both streams and descriptors go to standard error; after it, and after an error, they do not."""

    def inside():
        with aside():
            sys.stdout.write("in\n")
            os.write(1, b"raw in\n")
            raise ValueError

    with pytest.raises(ValueError):
        inside()
    sys.stdout.write("out\n")
    sys.stdout.flush()
    os.write(1, b"raw out\n")
    found = capfd.readouterr()
    assert found.out == "out\nraw out\n"
    assert sorted(found.err.splitlines()) == ["in", "raw in"]


@pytest.mark.parametrize(
    "error", [SystemExit(0), SystemExit(1), GeneratorExit(), BaseExceptionGroup("x", [KeyError()])]
)
def test_whatever_gets_through_is_an_internal_error(monkeypatch, capsys, error):
    """No exception of whatever kind ends in a traceback, or in the exit code of a success or a worse candidate."""

    def main(*_arguments, **_more):
        raise error

    monkeypatch.setattr(app.cli, "main", main)
    with pytest.raises(SystemExit) as left:
        app.main([])
    assert left.value.code == app.EXIT_INTERNAL
    assert f"internal error: {type(error).__name__}" in capsys.readouterr().err


def test_a_shell_can_still_ask_for_completions():
    """Completion, which ends by an exit, is no internal error."""
    ran = passband(env={"_PASSBAND_COMPLETE": "bash_source"})
    assert ran.code == 0
    assert "complete" in ran.out
