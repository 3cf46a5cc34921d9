"""Tier 3: any test runner that says in JUnit XML, TAP or unittest's text what became of each test.

Cold, and the weakest: the runner shares its process tree with the candidate and its results file lies where the
candidate can write, so a report can be forged and nothing here would notice. It is for suites that nothing else can
run, and every verdict names it.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.parsers import expat

from passband.grade.report import TestOutcome, TestRun
from passband.sandbox.command import CommandServer
from passband.sandbox.keeper import Keeper
from passband.sandbox.kernel.bind import RUN_FOLDER
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python, interpreter_binds, package_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from passband.records import EvalCase, ExecutionSpec, Limits
    from passband.sandbox.command import CommandResult
    from passband.sandbox.tiers import TierReport

__all__ = ["CommandRunner", "read_junit", "read_tap", "read_unittest"]

_RESULTS = ".passband-results.xml"
_SHOWN = 300
_JUNIT_CAP = 1 << 24
"""A report is data of the candidate's: what it may cost to read is bounded by this, and not by what a file may hold."""
_TAP = re.compile(r"^(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*([^#]*?)\s*(?:#\s*(.*))?$", re.ASCII)
_UNITTEST = re.compile(r"(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. ")
_WORD = re.compile(r"(ok|FAIL|ERROR|skipped '.*'|skipped \".*\"|expected failure|unexpected success)$", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:={70}|-{70})$", re.MULTILINE)


_Row = tuple[str, bool, str]
"""A test's id, whether it passed, and why not."""


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
        # Apart, since what a candidate writes to one of the two would stand in the middle of a line of the other.
        result = server.run(argv, files=tree, beside=case.hidden, env=env, limits=limits, apart=True)
        if result.fault is not None:
            raise SandboxFaultError(result.fault.detail)
        streams = [part.decode(errors="replace") for part in (result.output, result.errors)]
        if spec.results == "junit":
            rows: Iterable[_Row] = _junit_rows(result.files_after.get(_RESULTS, b""))
        else:
            read = _tap_rows if spec.results == "tap" else _unittest_rows
            rows = itertools.chain.from_iterable(map(read, streams))
        asked = set(ids)
        found = _once(row for row in rows if row[0] in asked)
        missing = _reason(result, limits)
        outcomes = {id_: found.get(id_, TestOutcome(passed=False, why=missing)) for id_ in ids}
        label = f"command@{self._report.label}"
        believed = tuple(id_ for id_, outcome in outcomes.items() if outcome.passed)
        return TestRun(outcomes, label, believed, "".join(streams), result.wall_s, result.cpu_s)

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
    cut = ", and its output was longer than output_kb" if result.truncated else ""
    return f"not reported; the command ended with code {result.returncode}{cut}"


def _once(rows: Iterable[_Row]) -> dict[str, TestOutcome]:
    """Turn rows into outcomes; a test that is there twice has not passed."""
    found: dict[str, TestOutcome] = {}
    for name, passed, why in rows:
        if name in found:
            found[name] = TestOutcome(passed=False, why="reported twice")
        else:
            found[name] = TestOutcome(passed=passed, why="" if passed else why[:_SHOWN])
    return found


class _DoctypeError(Exception):
    """A document that may define entities."""


class _JUnit:
    """Takes what matters from JUnit XML as it is parsed, so that no tree is made of it."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._open: list[str] = []
        self._case = ""
        self._wrong = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "testcase":
            self._case = f"{attributes.get('classname', '')}::{attributes.get('name', '')}"
            self._wrong = ""
        elif tag in {"error", "failure", "skipped"} and self._open[-1:] == ["testcase"]:
            self._wrong = self._wrong or f"{tag}: {attributes.get('message', '')}"
        self._open.append(tag)

    def end(self, tag: str) -> None:
        self._open.pop()
        if tag == "testcase":
            self.rows.append((self._case, not self._wrong, self._wrong[:_SHOWN]))

    def doctype(self, *_parts: object) -> None:
        raise _DoctypeError


def _junit_rows(data: bytes) -> list[_Row]:
    if len(data) > _JUNIT_CAP:
        return []
    reader, parser = _JUnit(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(data, True)
    # The declaration names any encoding: there may be none of that name, or it may not be one of text.
    except (_DoctypeError, expat.ExpatError, LookupError, ValueError):
        return []
    return reader.rows


def read_junit(data: bytes) -> dict[str, TestOutcome]:
    """Read JUnit XML.

    A test's id is ``classname::name``; it passed if its case holds neither error, failure nor skipped.

    Parameters
    ----------
    data : bytes
        The file, as a process left it that may have been taken over; documents that declare a type, and with it
        entities, are refused.

    Returns
    -------
    dict
        Empty for what is no JUnit XML, or longer than 16 MiB.
    """
    return _once(_junit_rows(data))


def _tap_rows(text: str) -> Iterator[_Row]:
    for line in text.split("\n"):
        match = _TAP.match(line)
        if match is not None:
            failed, name, comment = match.groups()
            directive = (comment or "").lower().startswith(("skip", "todo"))
            yield name, not failed and not directive, comment or "not ok"


def read_tap(text: str) -> dict[str, TestOutcome]:
    """Read the Test Anything Protocol: a test's id is its description; ``# SKIP`` and ``# TODO`` are not passes."""
    return _once(_tap_rows(text))


def _unittest_rows(text: str) -> Iterator[_Row]:
    heads = list(_UNITTEST.finditer(text))
    for head, following in itertools.zip_longest(heads, heads[1:]):
        name, where = head.groups()
        # What was written before it, without an end of line, stands before the name.
        full = where if name.endswith(where.rpartition(".")[2]) else f"{where}.{name}"
        after = text[head.end() : following.start()] if following else _SUMMARY.split(text[head.end() :])[0]
        words = _WORD.findall(after)
        wrong = [word for word in words if word != "ok"]
        yield full, bool(words) and not wrong, wrong[0] if wrong else "no result"


def read_unittest(text: str) -> dict[str, TestOutcome]:
    """Read the verbose output of :mod:`unittest`: a test's id is ``module.Class.test``.

    What a test writes to the same stream stands between its name and its result, or before its name. It passed if of
    the lines up to the next test some end in ``ok``, and none in another of unittest's words.
    """
    return _once(_unittest_rows(text))
