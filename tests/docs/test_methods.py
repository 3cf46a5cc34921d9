import doctest
from pathlib import Path

import pytest

METHODS = Path(__file__).parents[2] / "docs" / "methods"
PAGES = ["pass_at_k", "intervals", "clustering", "bootstrap", "paired", "multiplicity"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_says(page):
    """Every example on the page runs, and prints what stands below it."""
    found = doctest.testfile(str(METHODS / f"{page}.md"), module_relative=False)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_it_assumes_and_when_it_fails(page):
    """Formula, sources and the cases where a method fails are on every page."""
    text = (METHODS / f"{page}.md").read_text(encoding="utf-8")
    assert "## When it fails" in text
    assert "Sources: " in text
