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
