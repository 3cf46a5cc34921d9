"""A pytest session that is configured once, before any fork."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

from passband.grade.inside.runner.memory import MemoryFinder
from passband.grade.inside.runner.plain import is_plain, run_plain
from passband.grade.inside.runner.reporter import Reporter
from passband.grade.inside.twins.testcode import compile_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

__all__ = ["HiddenSession", "number", "unit_of", "warm_session"]

_UNUSED = "cacheprovider faulthandler unraisableexception threadexception doctest junitxml pastebin stepwise setuponly"
_UNUSED_BY_JUDGE = "logging warnings legacypath tmpdir setupplan"
_OPTIONS = (
    "-s",
    "--tb=line",
    "-oaddopts=",
    "--disable-plugin-autoload",
    "--import-mode=importlib",
    "--continue-on-collection-errors",
)
_WARM_TESTS = """
import pytest
@pytest.fixture
def one():
    yield 1
@pytest.mark.parametrize("x", [1, 2])
def test_pass(x, one, monkeypatch):
    assert x
def test_raise():
    with pytest.raises(ValueError, match="x"):
        raise ValueError("x")
def test_fail(capsys):
    print("x")
    assert [1, 2] == [1, 3]
class TestIt:
    def test_method(self):
        assert 0.1 + 0.2 == pytest.approx(0.3)
"""


class _HiddenModule(pytest.Module):
    finder: MemoryFinder

    def _getobj(self) -> ModuleType:
        try:
            return self.finder.load(str(self.path))
        except Exception as error:
            raise self.CollectError(f"{type(error).__name__}: {error}") from error


class HiddenSession:
    """A configured session over hidden tests that are held in memory.

    Parameters
    ----------
    root : str
        Folder that stands for the hidden tests' root; test ids are relative to it.
    judge : bool
        Whether no candidate runs in this process: then what only a candidate could need is left out.
    options : sequence of str
        What the suite's own settings say, as options of the command line.
    """

    def __init__(self, root: str, *, judge: bool, options: Sequence[str] = ()) -> None:
        self.root = root
        self.reporter = Reporter()
        self.finder: MemoryFinder | None = None
        self._ruled = bool(options)
        self._after: Callable[[str], None] | None = None
        self.plain: frozenset[pytest.Item] = frozenset()
        """Collected tests that need nothing of pytest while they run."""
        unused = f"{_UNUSED} {_UNUSED_BY_JUDGE if judge else ''}".split()
        words = [*_OPTIONS, *(f"-pno:{name}" for name in unused), "-c", os.devnull, "--rootdir", root]
        # Or it would look for configuration, and list folders, all the way up from there.
        words += ["--confcutdir", root, *options, "--noconftest", root]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.config = _prepareconfig(words, plugins=[self, self.reporter])
            # Not yet, when files may lie there already: what stands in them is imported with the tests, from memory.
            self.config.pluginmanager._noconftest = False
            self.config._do_configure()
            self.session = Session.from_config(self.config)
            terminal = self.config.pluginmanager.getplugin("terminalreporter")
            self.config.hook.pytest_sessionstart(session=self.session)
            self.config.pluginmanager.unregister(terminal)

    def warm_up(self) -> None:
        """Run a few tests of our own, so that what the first test of a run would load is loaded before the fork."""
        with contextlib.redirect_stdout(io.StringIO()):
            file = "test_warm.py"
            code = compile_file(ast.parse(_WARM_TESTS), _WARM_TESTS.encode(), file, self.root)
            self.run(self._of_file(MemoryFinder(self.root, {file: code}), file))
        sys.modules.pop("test_warm", None)
        self.reporter.finish()
        self.session.testsfailed = self.session.testscollected = 0

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
        """Take test modules from memory."""
        if self.finder is None or str(module_path) not in self.finder.code:
            return None
        module: _HiddenModule = _HiddenModule.from_parent(parent, path=module_path)
        module.finder = self.finder
        return module

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Tell whoever wants to know that a test is over."""
        if self._after is not None:
            self._after(nodeid)

    def collect(self, finder: MemoryFinder, files: Iterable[str]) -> list[pytest.Item]:
        """Collect test files.

        Parameters
        ----------
        finder : MemoryFinder
            Holds their code.
        files : iterable of str
            Paths relative to the root.

        Returns
        -------
        list of pytest.Item
        """
        self.finder = finder
        hooks = any(path.endswith("/conftest.py") for path in finder.code)
        if hooks or any(path.endswith("/__init__.py") for path in finder.code):
            self.session.perform_collect([f"{self.root}/{file}" for file in files])
        else:
            # Nothing but the files themselves could have a say: no folder has to be walked for them.
            self.session.items = [item for file in files for item in self._of_file(finder, file)]
            self.config.hook.pytest_collection_modifyitems(
                session=self.session, config=self.config, items=self.session.items
            )
        self.plain = (
            frozenset() if hooks or self._ruled else frozenset(item for item in self.session.items if is_plain(item))
        )
        return self.session.items

    def _of_file(self, finder: MemoryFinder, file: str) -> list[pytest.Item]:
        module: _HiddenModule = _HiddenModule.from_parent(self.session, path=Path(self.root, file))
        module.finder = finder
        return list(self.session.genitems(module))

    def run(self, items: list[pytest.Item], after: Callable[[str], None] | None = None) -> bool:
        """Run tests in the given order and report them.

        Parameters
        ----------
        items : list of pytest.Item
            The tests.
        after : callable, optional
            Called with each test after its teardown.

        Returns
        -------
        bool
            Whether any did not pass.
        """
        self._after = after
        if all(item in self.plain for item in items):
            failed = False
            for item in items:
                outcome = run_plain(item)
                failed |= outcome[0] != "passed"
                self.reporter.plain(item.nodeid, *outcome)
                if after is not None:
                    after(item.nodeid)
            return failed
        # A warm process has looked for a temporary folder long ago, in another file system.
        tempfile.tempdir = None
        self.session.items = items
        with contextlib.suppress(Session.Failed, Session.Interrupted):
            self.config.hook.pytest_runtestloop(session=self.session)
        return bool(self.session.testsfailed)


def warm_session(root: str, *, judge: bool) -> HiddenSession:
    """Return a session that has run a test before."""
    session = HiddenSession(root, judge=judge)
    session.warm_up()
    return session


def unit_of(item: pytest.Item) -> str:
    """Return the function or method a test comes from, ``Class::method``, without its parameters."""
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([*classes, getattr(item, "originalname", None) or item.name])


def number(items: Iterable[pytest.Item]) -> list[tuple[str, str, int]]:
    """Return for each test its file's name, its unit, and its place among the tests of that unit."""
    seen: dict[tuple[str, str], int] = {}
    keys = []
    for item in items:
        file, unit = item.nodeid.partition("::")[0], unit_of(item)
        place = seen[file, unit] = seen.get((file, unit), -1) + 1
        keys.append((file, unit, place))
    return keys
