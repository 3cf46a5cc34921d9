"""Tier 3: any test runner that says in JUnit XML, TAP or unittest's text what became of each test.

Cold, and the weakest: the runner shares its process tree with the candidate and its results file lies where the
candidate can write, so a report can be forged and nothing here would notice. It is for suites that nothing else can
run, and every verdict names it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from passband.grade.report import TestOutcome, TestRun
from passband.sandbox.command import CommandServer
from passband.sandbox.keeper import Keeper
from passband.sandbox.kernel.bind import RUN_FOLDER
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python, interpreter_binds, package_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from passband.records import EvalCase, ExecutionSpec, Limits
    from passband.sandbox.command import CommandResult
    from passband.sandbox.tiers import TierReport

__all__ = ["CommandRunner", "read_junit", "read_tap", "read_unittest"]

_RESULTS = ".passband-results.xml"
_SHOWN = 300
_TAP = re.compile(r"^(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*([^#]*?)\s*(?:#\s*(.*))?$", re.ASCII)
_UNITTEST = re.compile(r"^(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. (\w+)", re.MULTILINE)


class CommandRunner:
    """Runs a case's own command on a candidate's tree.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._report = report
        self._servers = Keeper(CommandServer)

    def run(
        self,
        case: EvalCase,
        spec: ExecutionSpec,
        tree: Mapping[str, bytes],
        ids: Sequence[str],
        limits: Limits,
        *,
        hash_seed: int,
    ) -> TestRun:
        """Run the command and read what it says about the tests.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed.
        """
        places = {
            "python": base_python(),
            "repo": f"{RUN_FOLDER}/repo",
            "hidden": f"{RUN_FOLDER}/hidden",
            "results": f"{RUN_FOLDER}/repo/{_RESULTS}",
        }
        argv = [_fill(word, places) for word in spec.command]
        path = ":".join([f"{RUN_FOLDER}/repo", f"{RUN_FOLDER}/hidden", *package_folders()])
        # Of what is installed here a suite loads what it names; this package's own plugin is hidden from every run.
        env = {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": str(hash_seed)}
        server = self._servers.get(replace(self._report.setting, binds=tuple(interpreter_binds(packages=True))))
        result = server.run(argv, files=tree, beside=case.hidden, env=env, limits=limits)
        if result.fault is not None:
            raise SandboxFaultError(result.fault.detail)
        text = result.output.decode(errors="replace")
        if spec.results == "junit":
            found = read_junit(result.files_after.get(_RESULTS, b""))
        else:
            found = read_tap(text) if spec.results == "tap" else read_unittest(text)
        missing = _reason(result, limits)
        outcomes = {id_: found.get(id_, TestOutcome(passed=False, why=missing)) for id_ in ids}
        label = f"command@{self._report.label}"
        believed = tuple(id_ for id_, outcome in outcomes.items() if outcome.passed)
        return TestRun(outcomes, label, believed, text, result.wall_s, result.cpu_s)

    def close(self) -> None:
        """End the server."""
        self._servers.close()


def _fill(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _reason(result: CommandResult, limits: Limits) -> str:
    if result.error:
        return result.error
    if result.timed_out:
        return f"timed out after {limits.wall_s:g} s"
    return f"not reported; the command ended with code {result.returncode}"


def _once(rows: Iterable[tuple[str, bool, str]]) -> dict[str, TestOutcome]:
    """Turn rows into outcomes; a test that is there twice has not passed."""
    found: dict[str, TestOutcome] = {}
    for name, passed, why in rows:
        if name in found:
            found[name] = TestOutcome(passed=False, why="reported twice")
        else:
            found[name] = TestOutcome(passed=passed, why="" if passed else why[:_SHOWN])
    return found


def read_junit(data: bytes) -> dict[str, TestOutcome]:
    """Read JUnit XML.

    A test's id is ``classname::name``; it passed if its case holds neither error, failure nor skipped.

    Parameters
    ----------
    data : bytes
        The file, as a process left it that may have been taken over; documents that define entities are refused.

    Returns
    -------
    dict
        Empty for what is no JUnit XML.
    """
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        return {}
    try:
        root = ET.fromstring(data)  # noqa: S314 - entities are refused above, and expat holds the rest
    except (ET.ParseError, ValueError, RecursionError):
        return {}
    rows = []
    for case in root.iter("testcase"):
        wrong = [child for child in case if child.tag in {"error", "failure", "skipped"}]
        why = f"{wrong[0].tag}: {wrong[0].get('message', '')}" if wrong else ""
        rows.append((f"{case.get('classname', '')}::{case.get('name', '')}", not wrong, why))
    return _once(rows)


def read_tap(text: str) -> dict[str, TestOutcome]:
    """Read the Test Anything Protocol: a test's id is its description; ``# SKIP`` and ``# TODO`` are not passes."""
    rows = []
    for line in text.split("\n"):
        match = _TAP.match(line)
        if match is not None:
            failed, name, comment = match.groups()
            directive = (comment or "").lower().startswith(("skip", "todo"))
            rows.append((name, not failed and not directive, comment or "not ok"))
    return _once(rows)


def read_unittest(text: str) -> dict[str, TestOutcome]:
    """Read the verbose output of :mod:`unittest`: a test's id is ``module.Class.test``."""
    rows = []
    for name, where, word in _UNITTEST.findall(text):
        full = where if where.endswith(f".{name}") else f"{where}.{name}"
        rows.append((full, word == "ok", word))
    return _once(rows)
