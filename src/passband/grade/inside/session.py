"""A pytest session that is configured once, before any fork, and reports over a descriptor."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import CodeType, ModuleType

    from passband.grade.inside.memory import MemoryFinder

__all__ = ["HiddenSession", "Reporter"]

_MESSAGE = 600
_OPTIONS = (
    "-p",
    "no:cacheprovider",
    "-p",
    "no:faulthandler",
    "-p",
    "no:unraisableexception",
    "-p",
    "no:threadexception",
    "-p",
    "no:doctest",
    "-p",
    "no:junitxml",
    "-p",
    "no:pastebin",
    "-p",
    "no:stepwise",
    "-p",
    "no:setuponly",
    "-p",
    "no:setupplan",
    "-p",
    "no:debugging",
    "-s",
    "--tb=line",
    "-o",
    "addopts=",
    "--disable-plugin-autoload",
    "--import-mode=importlib",
    "--continue-on-collection-errors",
)


class Reporter:
    """Writes one line a report and one at the end."""

    def __init__(self) -> None:
        self.fd = -1
        self.count = 0

    def send(self, record: Mapping[str, Any]) -> None:
        """Write one record whole."""
        data = json.dumps(record).encode() + b"\n"
        while data:
            data = data[os.write(self.fd, data) :]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report a phase of a test."""
        self.count += 1
        message = "" if report.passed else str(report.longrepr)[-_MESSAGE:]
        self.send(
            {
                "kind": "report",
                "id": report.nodeid,
                "when": report.when,
                "outcome": report.outcome,
                "xfail": hasattr(report, "wasxfail"),
                "message": message,
            }
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Report a file that could not be collected."""
        if not report.passed:
            self.send({"kind": "collect", "id": report.nodeid, "message": str(report.longrepr)[-_MESSAGE:]})

    def finish(self) -> None:
        """Write the last record."""
        self.send({"kind": "finish", "count": self.count})


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
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.reporter = Reporter()
        self.finder: MemoryFinder | None = None
        options = [*_OPTIONS, "-c", os.devnull, "--rootdir", root, root]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.config = _prepareconfig(options, plugins=[self, self.reporter])
            self.config._do_configure()  # noqa: SLF001 - there is no public way to configure without running
            self.session = Session.from_config(self.config)
            terminal = self.config.pluginmanager.getplugin("terminalreporter")
            self.config.hook.pytest_sessionstart(session=self.session)
            self.config.pluginmanager.unregister(terminal)

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
        """Take test modules from memory."""
        if self.finder is None or str(module_path) not in self.finder.code:
            return None
        module: _HiddenModule = _HiddenModule.from_parent(parent, path=module_path)
        module.finder = self.finder
        return module

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
        self.session.perform_collect([f"{self.root}/{file}" for file in files])
        return self.session.items

    def run(self, items: list[pytest.Item]) -> None:
        """Run tests in the given order and report them."""
        # A warm process has looked for a temporary folder long ago, in another file system.
        tempfile.tempdir = None
        self.session.items = items
        with contextlib.suppress(Session.Failed, Session.Interrupted):
            self.config.hook.pytest_runtestloop(session=self.session)
        self.reporter.finish()


def compile_tests(sources: Mapping[str, bytes], root: str) -> dict[str, CodeType]:
    """Compile test files with pytest's explanations of failed assertions.

    Raises
    ------
    SyntaxError, ValueError
        Where a file is not Python.
    """
    import ast

    from _pytest.assertion.rewrite import rewrite_asserts

    code = {}
    for path, source in sources.items():
        tree = ast.parse(source, filename=f"{root}/{path}")
        rewrite_asserts(tree, source, f"{root}/{path}")
        code[path] = compile(tree, f"{root}/{path}", "exec", dont_inherit=True)
    return code
