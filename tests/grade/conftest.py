from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import Grading

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def grading() -> Iterator[Grading]:
    """One grader for all tests: its servers start once."""
    with Grading() as made:
        yield made
