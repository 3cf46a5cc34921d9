"""Runs the command line in a process of its own, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str


def passband(*arguments: str, env: dict[str, str] | None = None, timeout: float = 120, given: str | None = None) -> Ran:
    """Run ``passband`` with `arguments` in the current folder, and `given` on its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "passband", *arguments],
        env={**os.environ, **(env or {})},
        input=given,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
