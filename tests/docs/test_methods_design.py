import doctest
import re
from pathlib import Path

import pytest

import passband.stats

from .examples import blocks

METHODS = Path(__file__).parents[2] / "docs/methods"
PAGES = ("power", "seeds", "selection", "bayes", "sequential", "agreement", "judges", "ranking")


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_are_true(page):
    """Every example of a methods page, read from top to bottom, prints what the page shows."""
    path = METHODS / f"{page}.md"
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    shown: list[str] = []
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.language == "python":
            test = doctest.DocTestParser().get_doctest(block.body, names, path.name, str(path), block.line)
            runner.run(test, out=shown.append, clear_globs=False)
            names.update(test.globs)
    assert not runner.failures, "".join(shown)
    assert runner.tries > 0


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_what_exists_and_shows_its_coverage(page):
    """The functions in a page's second line are public, and its figure is drawn."""
    text = (METHODS / f"{page}.md").read_text(encoding="utf-8")
    names = re.findall(r"`(\w+)`", text.splitlines()[2])
    assert names
    assert set(names) <= set(passband.stats.__all__)
    assert f"figures/{page}.svg" in text
    assert (METHODS / f"figures/{page}.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert "Where it fails" in text
