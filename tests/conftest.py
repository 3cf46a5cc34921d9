"""What all tests share: no colour, no store of the user's, small suites."""

from __future__ import annotations

import os

import hypothesis
import pytest

# What a deadline would measure is how busy the machine is. The same examples every time: a change is judged by what it
# changed; PASSBAND_HYPOTHESIS=explore draws others.
hypothesis.settings.register_profile("passband", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile(os.environ.get("PASSBAND_HYPOTHESIS", "passband"))


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch, tmp_path):
    """Run every test in an empty folder, without the user's settings."""
    for name in ("PASSBAND_STORE", "PASSBAND_DEBUG", "NO_COLOR", "CI", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(items):
    """Refuse test ids that differ from process to process: workers that share the tests must agree on them."""
    wrong = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if wrong:
        raise pytest.UsageError(f"test ids hold an address, give the parameters ids: {wrong[:3]}")
