"""The page about TinyAgent does what it says."""

from pathlib import Path

from tests.docs.examples import run_document

PAGE = Path(__file__).parents[2] / "docs/tinyagent.md"


def test_examples():
    """Every example of the page runs as it stands and prints what is shown."""
    assert run_document(PAGE) >= 8
