"""The adapter for LiteLLM, which is too large for everybody to install, beside the real package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .tools import folder

pytestmark = pytest.mark.external
ROOT = Path(__file__).parents[2]


def test_litellm_does_what_every_sdk_must():
    """What is asked of the other SDKs holds of LiteLLM too; what its own code warns of is its own affair."""
    asked = [sys.executable, "-m", "pytest", "-q", "tests/subject/test_sdk.py", "-k", "litellm"]
    environment = os.environ | {
        "PYTHONPATH": str(folder() / "litellm"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it asks the network for prices
    }
    done = subprocess.run(
        [*asked, "-o", "filterwarnings=default"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= 15
    assert "skipped" not in done.stdout
