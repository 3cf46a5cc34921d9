"""A module of the tree that is imported in fewer steps is what the import system would have made."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from passband.grade.inside.candidate.finder import TreeFinder, load

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("__name__", "__package__", "__file__", "__doc__", "__path__", "VALUE")
FILES = {
    "passband_plain.py": '"""Says."""\nVALUE = __spec__.name, __loader__ is __spec__.loader\n',
    "passband_pack/__init__.py": "from passband_pack.part import VALUE\n",
    "passband_pack/part.py": "VALUE = __package__\n",
    "passband_swap.py": "import sys, types\nsys.modules[__name__] = types.SimpleNamespace(VALUE=3)\n",
    "passband_raises.py": "import passband_plain\nraise LookupError('x')\n",
    "passband_broken.py": "def f(:\n",
    "passband_exits.py": "raise SystemExit(0)\n",
}


@pytest.fixture
def finder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TreeFinder:
    """Return a finder of a tree, which the import system asks as well."""
    for name, source in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    made = TreeFinder(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path[:-1], made, sys.meta_path[-1]])
    return made


def forget() -> None:
    """Let nothing of the tree be imported any more."""
    for name in [n for n in sys.modules if n.startswith("passband_")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["passband_plain", "passband_pack", "passband_swap"])
def test_what_is_made(name: str, finder: TreeFinder) -> None:
    """The same names with the same values, in the same place."""
    seen = []
    for make in (importlib.import_module, lambda name: load(finder, name)):
        forget()
        module = make(name)
        assert sys.modules[name] is module
        seen.append({n: getattr(module, n, None) for n in NAMES})
    forget()
    assert seen[0] == seen[1]
    assert seen[0]["VALUE"]


@pytest.mark.parametrize("name", ["passband_raises", "passband_broken", "passband_exits"])
def test_what_fails(name: str, finder: TreeFinder) -> None:
    """It raises the same, and is not imported; what it imported stays."""
    seen = []
    for make in (importlib.import_module, lambda name: load(finder, name)):
        forget()
        with pytest.raises(BaseException) as caught:
            make(name)
        assert name not in sys.modules
        seen.append((caught.type, str(caught.value), sorted(n for n in sys.modules if n.startswith("passband_"))))
    forget()
    assert seen[0] == seen[1]


def test_what_is_not_there(finder: TreeFinder) -> None:
    """Another name is nobody's business here."""
    assert load(finder, "passband_missing") is None
