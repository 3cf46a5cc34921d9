"""A trained network is slow to come by: what several tests share of it."""

import json

import pytest
import torch
from click.testing import CliRunner

from tinyagent.cloning import CloningConfig, base_agent
from tinyagent.train import one_thread


@pytest.fixture(autouse=True)
def _one_thread():
    """Bit-equal results are promised on one thread."""
    one_thread()
    assert torch.get_num_threads() == 1


@pytest.fixture(scope="session")
def half_cloned(tmp_path_factory):
    """Make copies of an agent that has half learned the procedure."""
    from tinyagent.checkpoint import load_checkpoint, save_checkpoint
    from tinyagent.config import RLConfig

    one_thread()
    path = tmp_path_factory.mktemp("cloned") / "agent.safetensors"
    save_checkpoint(path, base_agent(CloningConfig(steps=30, group_size=4)), RLConfig(), 0)
    return lambda: load_checkpoint(path).agent


@pytest.fixture
def run_json():
    """Run a command and read the JSON it prints."""

    def run(command, *arguments):
        result = CliRunner().invoke(command, [*arguments, "--format", "json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run
