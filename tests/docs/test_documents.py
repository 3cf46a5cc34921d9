import re
from pathlib import Path

import pytest

from .examples import has_examples, run_document

ROOT = Path(__file__).parents[2]
# The pages of methods have tests of their own.
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs/tutorial").glob("*.md")),
    *sorted((ROOT / "docs/how-to").glob("*.md")),
]
EXECUTED = [page for page in PAGES if has_examples(page)]
ALL = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("path", EXECUTED, ids=lambda path: path.stem)
def test_examples_do_what_the_document_says(path):
    """Every example of a document runs as it stands and prints what is shown."""
    assert run_document(path) > 0


def test_the_first_pages_have_examples():
    """What a newcomer reads first is run here, all of it."""
    names = {path.stem for path in EXECUTED}
    assert {"README", "first-run", "write-a-suite", "import-humanevalfix", "compare-and-rank"} <= names


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    """Every relative link and picture of a document is a file of the project."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"
