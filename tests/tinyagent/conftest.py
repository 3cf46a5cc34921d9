"""What the tests of TinyAgent share."""

import json

import pytest
from click.testing import CliRunner

from tinyagent.checkpoint import load_checkpoint, shipped


@pytest.fixture
def base():
    """Make copies of the shipped base agent."""
    return lambda: load_checkpoint(shipped()["base"]).agent


@pytest.fixture
def run_json():
    """Run a command and read the JSON it prints."""

    def run(command, *arguments):
        result = CliRunner().invoke(command, [*arguments, "--format", "json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run
