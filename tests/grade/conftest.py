from __future__ import annotations

from collections.abc import Iterator

import pytest

from passband.grade import Grading


@pytest.fixture(scope="session")
def grading() -> Iterator[Grading]:
    """One grader for all tests: its servers start once."""
    with Grading() as made:
        yield made
