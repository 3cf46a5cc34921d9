"""``passband grade``: the grader alone, as the scoring end of any harness."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from passband.cli.common import echo, emit, format_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passband.grade import Grading
    from passband.records import Answer, EvalCase, Fault, Verdict
    from passband.suite import EvalSuite

__all__ = ["grade"]

_NOT_RESOLVED, _FAULT = 1, 4
_AHEAD = 8  # answers read ahead per worker; the file may be larger than memory


@click.command(
    epilog="""\b
ANSWERS.jsonl, an answer a line: id, case, format (auto, search_replace, unified_diff, files, text), payload
(text, {"base64": …}, or for files an object path → text or null).

\b
Exit code of one answer: 0 resolved · 1 anything else · 4 it could not be graded.
Of a file: 0, or 4 where any answer could not be graded.

\b
Examples:
  passband grade builtin add-bug my.patch
  my-agent | passband grade builtin add-bug -
  passband grade my-suite --answers answers.jsonl --format json
"""
)
@click.argument("suite")
@click.argument("case", required=False)
@click.argument("answer", required=False)
@click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Grade every line of it; - is standard input.",
)
@click.option("--as", "as_", default="auto", show_default=True, metavar="FORMAT", help="How to read ANSWER.")
@click.option("--workers", type=click.IntRange(1, 256), help="Answers graded at once; the number of CPUs.")
@click.option(
    "--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one; verdicts say so."
)
@format_option
def grade(
    suite: str,
    case: str | None,
    answer: str | None,
    answers: Path | None,
    as_: str,
    workers: int | None,
    unsafe: bool,  # noqa: FBT001 - click passes by name
    format_: str,
) -> int:
    """Grade ANSWER (a file, or - for standard input) to CASE of SUITE; or every answer of a file.

    Prints for each the verdict's word, whether it passed, its score, the tier that spoke, and the reason.
    """
    from passband.errors import UsageError
    from passband.grade import Grading
    from passband.suite import load_suite

    if (answers is None) == (case is None or answer is None):
        raise UsageError("name a CASE and an ANSWER, or a file of --answers", where="passband grade")
    loaded = load_suite(suite)
    count = workers or os.cpu_count() or 1
    with Grading(unsafe=unsafe, workers=count, reuse=True) as grading:
        if answers is not None:
            return _grade_file(loaded, answers, grading, count, format_)
        assert case is not None
        assert answer is not None
        given = _answer(_read(answer), as_, answer)
        verdict = grading.grade(loaded.case(case), given)
        _show({"case": case}, verdict, format_)
    if not hasattr(verdict, "passed"):
        return _FAULT
    return 0 if verdict.passed else _NOT_RESOLVED


def _read(name: str) -> bytes:
    from passband.errors import DataError

    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=name) from None


def _answer(payload: bytes, format_: str, where: str) -> Answer:
    from passband.errors import UnknownNameError
    from passband.records import Answer, AnswerFormat

    if format_ not in set(AnswerFormat):
        raise UnknownNameError("answer format", format_, list(AnswerFormat), where=where)
    return Answer(payload, AnswerFormat(format_))


def _grade_file(suite: EvalSuite, path: Path, grading: Grading, workers: int, format_: str) -> int:
    from passband.errors import DataError

    faults = graded = 0
    flight: deque[tuple[dict[str, Any], Future[Verdict | Fault]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for label, case, answer in _rows(suite, path):
                graded += 1
                flight.append((label, pool.submit(grading.grade, case, answer)))
                if len(flight) >= _AHEAD * workers:
                    faults += _print(flight.popleft(), format_)
        finally:
            # A bad line further down does not take the verdicts before it.
            while flight:
                faults += _print(flight.popleft(), format_)
    if not graded:
        raise DataError("holds no answer", where=str(path), fix="a line holds id, case, format and payload")
    return _FAULT if faults else 0


def _print(graded: tuple[dict[str, Any], Future[Verdict | Fault]], format_: str) -> bool:
    label, future = graded
    verdict = future.result()
    _show(label, verdict, format_)
    return not hasattr(verdict, "passed")


def _show(label: dict[str, Any], verdict: Verdict | Fault, format_: str) -> None:
    (emit if format_ == "json" else echo)(_line(label, verdict, format_))


def _rows(suite: EvalSuite, path: Path) -> Iterator[tuple[dict[str, Any], EvalCase, Answer]]:
    from passband.errors import DataError
    from passband.records import canonical_json

    cases = {case.id: case for case in suite}
    seen: dict[bytes, int] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"is not JSON: {error}", where=where) from None
        if not isinstance(row, dict) or not isinstance(row.get("case"), str) or "payload" not in row:
            raise DataError("is not an answer", where=where, fix="a line holds id, case, format and payload")
        case = cases.get(row["case"])
        if case is None:
            suite.case(row["case"])  # says which is closest
            raise AssertionError
        payload = _payload(row["payload"], where)
        label = {"id": number if row.get("id") is None else row["id"], "case": case.id}
        first = seen.setdefault(canonical_json(label["id"], where=f"{where}: id"), number)
        if first != number:
            raise DataError(f"has the id of line {first}: {label['id']!r}", where=where, fix="give each answer its own")
        yield label, case, _answer(payload, str(row.get("format", "auto")), where)


def _lines(path: Path) -> Iterable[bytes]:
    from passband.errors import DataError

    if str(path) == "-":
        yield from sys.stdin.buffer
        return
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _payload(value: Any, where: str) -> bytes:
    from passband.errors import DataError

    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    if isinstance(value, dict):
        if set(value) == {"base64"} and isinstance(value["base64"], str):
            try:
                return base64.b64decode(value["base64"], validate=True)
            except ValueError as error:
                raise DataError(f"holds no base64: {error}", where=where) from None
        return json.dumps(value).encode()
    raise DataError("has a payload that is neither text nor an object", where=where)


def _line(label: dict[str, Any], verdict: Verdict | Fault, format_: str) -> str:
    from passband.records import Fault
    from passband.report import to_json

    if isinstance(verdict, Fault):
        made = {**label, "outcome": None, "fault": f"{verdict.stage}: {verdict.detail}"}
        return to_json(made, indent=0) if format_ == "json" else _text(label, "not graded", made["fault"])
    if format_ == "json":
        return to_json(
            {
                **label,
                "outcome": verdict.outcome.value,
                "passed": verdict.passed,
                "score": verdict.score,
                "tier": verdict.tier,
                "detail": verdict.detail,
            },
            indent=0,
        )
    passed = "passed" if verdict.passed else "not passed"
    return _text(label, verdict.outcome.value, f"{passed}  score {verdict.score:g}  {verdict.tier}  {verdict.detail}")


def _text(label: dict[str, Any], word: str, rest: str) -> str:
    name = f"{label['id']}  " if "id" in label else ""
    return f"{word:<16}  {_one_line(name + label['case'])}  {_one_line(rest)}"


def _one_line(text: str) -> str:
    from passband.report.words import printable

    return printable(text).replace("\n", " ")
