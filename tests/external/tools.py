"""Tools of others that `.ci/run` puts into a folder; tests that ask them are marked external."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any


def folder() -> Path:
    """Where the tools lie."""
    named = os.environ.get("PASSBAND_CI_TOOLS")
    assert named, "PASSBAND_CI_TOOLS names no folder: .ci/run sets the tools up and runs these tests"
    return Path(named)


def ask(tool: str, questions: list[Any]) -> list[Any]:
    """What a tool of node says to each question."""
    script = Path(__file__).parent / "tools.mjs"
    done = subprocess.run(
        ["node", str(script), str(folder()), tool],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
