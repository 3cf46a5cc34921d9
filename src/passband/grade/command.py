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
# These are for text of a candidate's: what stands at a place is looked at once, or a line would take hours.
_TAP = re.compile(r"(not )?ok\b(?:\s+\d+)?(?:\s+-)?", re.ASCII)
_UNITTEST = re.compile(r"(?<=\w) \(([\w.]+)\)(?:\n.*)? \.\.\. ")
_WORDS = ("ok", "FAIL", "ERROR", "expected failure", "unexpected success")
_SUMMARY = re.compile(r"^(?:={70}|-{70})$", re.MULTILINE)
_BAIL = re.compile(r"^Bail out!([^\n]*)", re.MULTILINE | re.IGNORECASE)


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
        wrong, aborted = "", ""
        if spec.results == "junit":
            rows, wrong = _junit_rows(result.files_after.get(_RESULTS, b""), cut=_RESULTS in result.skipped)
        else:
            read = _tap_rows if spec.results == "tap" else _unittest_rows
            rows = list(itertools.chain.from_iterable(map(read, streams)))
            wrong = "its output was longer than output_kb, and the rest is lost" if result.truncated else ""
            aborted = next(filter(None, map(_bailed_out, streams)), "") if spec.results == "tap" else ""
        asked = set(ids)
        found = _once((row for row in rows if row[0] in asked), aborted)
        missing = aborted or _reason(result, limits, wrong)
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


def _reason(result: CommandResult, limits: Limits, wrong: str) -> str:
    """Say why a test was not reported: how the command ended, and what is wrong with the report as a whole."""
    if result.error:
        said = result.error
    elif result.timed_out:
        said = f"timed out after {limits.wall_s:g} s"
    else:
        said = f"not reported; the command ended with code {result.returncode}"
    return f"{said}, and {wrong}" if wrong else said


def _once(rows: Iterable[_Row], aborted: str = "") -> dict[str, TestOutcome]:
    """Turn rows into outcomes; a test that is there twice has not passed, nor has one of a run that was given up."""
    found: dict[str, TestOutcome] = {}
    for name, passed, why in rows:
        if name in found:
            found[name] = TestOutcome(passed=False, why="reported twice")
        else:
            good = passed and not aborted
            found[name] = TestOutcome(passed=good, why="" if good else (aborted if passed else why)[:_SHOWN])
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


def _junit_rows(data: bytes, *, cut: bool = False) -> tuple[list[_Row], str]:
    """Read JUnit XML; returns what it says of each test, and why that is nothing."""
    if cut or len(data) > _JUNIT_CAP:
        return [], "its results could not be read to their end"
    if not data:
        return [], "it wrote no results"
    reader, parser = _JUnit(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(data, True)
    except _DoctypeError:
        return [], "its results declare a type of document"
    # The declaration names any encoding: there may be none of that name, or it may not be one of text.
    except (expat.ExpatError, LookupError, ValueError) as error:
        return [], f"its results are no XML: {error}"
    return reader.rows, ""


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
    return _once(_junit_rows(data)[0])


def _tap_rows(text: str) -> Iterator[_Row]:
    for line in text.split("\n"):
        match = _TAP.match(line)
        if match is not None:
            name, _, comment = (part.strip() for part in line[match.end() :].partition("#"))
            directive = comment.lower().startswith(("skip", "todo"))
            yield name, not match[1] and not directive, comment or "not ok"


def _bailed_out(text: str) -> str:
    """Say why a run was given up; empty where it was not."""
    match = _BAIL.search(text)
    return "" if match is None else f"the run was given up: Bail out!{match[1].rstrip()}"[:_SHOWN]


def read_tap(text: str) -> dict[str, TestOutcome]:
    """Read the Test Anything Protocol: a test's id is its description.

    ``# SKIP`` and ``# TODO`` are not passes, and nothing has passed in a run that says ``Bail out!``.
    """
    return _once(_tap_rows(text), _bailed_out(text))


def _unittest_rows(text: str) -> Iterator[_Row]:
    heads = list(_UNITTEST.finditer(text))
    done = 0
    for head, following in itertools.zip_longest(heads, heads[1:]):
        where, start = head[1], head.start()
        while start > done and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        name, done = text[start : head.start()], head.end()
        # What was written before it, without an end of line, stands before the name.
        full = where if name.endswith(where.rpartition(".")[2]) else f"{where}.{name}"
        after = text[head.end() : following.start()] if following else _SUMMARY.split(text[head.end() :])[0]
        words = list(filter(None, map(_word, after.split("\n"))))
        wrong = [word for word in words if word != "ok"]
        yield full, bool(words) and not wrong, wrong[0] if wrong else "no result"


def _word(line: str) -> str:
    """Return the one of unittest's words that a line ends in; empty where there is none."""
    for quote in "'\"":
        before, opening, reason = line.partition(f"skipped {quote}")
        if opening and reason.endswith(quote):
            return line[len(before) :]
    return next((word for word in _WORDS if line.endswith(word)), "")


def read_unittest(text: str) -> dict[str, TestOutcome]:
    """Read the verbose output of :mod:`unittest`: a test's id is ``module.Class.test``.

    What a test writes to the same stream stands between its name and its result, or before its name. It passed if of
    the lines up to the next test some end in ``ok``, and none in another of unittest's words.
    """
    return _once(_unittest_rows(text))
