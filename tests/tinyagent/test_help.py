import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tinyagent.cli import cli


@pytest.mark.parametrize("command", [[], ["train"], ["eval"], ["chapter"]])
def test_both_ways_to_ask_for_help_are_one(command):
    """`-h` says what `--help` says, of every command."""
    short, long = (CliRunner().invoke(cli, [*command, option]) for option in ("-h", "--help"))
    assert short.exit_code == 0
    assert short.output == long.output
    assert short.output.startswith("Usage:")


@pytest.mark.parametrize("arguments", [["--help"], ["eval", "--help"]])
def test_a_reader_that_leaves_ends_a_command_quietly(arguments):
    """A command whose reader has left says nothing and exits as shells expect of it."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        script = "import sys; from tinyagent.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments], stdout=output, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")
