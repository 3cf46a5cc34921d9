"""What all tests share: no colour, no store of the user's, small suites."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch, tmp_path):
    """Run every test in an empty folder, without the user's settings."""
    for name in ("PASSBAND_STORE", "PASSBAND_DEBUG", "NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
