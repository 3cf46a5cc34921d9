import pytest

from passband.subject.chat import client


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    """Between attempts, wait a hundredth of what users would."""
    monkeypatch.setattr(client, "_BASE_S", 0.005)
