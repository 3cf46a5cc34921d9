"""Anyone's counts as runs: a CSV of successes and samples a system and task."""

from __future__ import annotations

import csv
import hashlib
from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passband.aggregate.arrays import COUNTED
from passband.errors import DataError, UnknownNameError
from passband.records import OUTCOME_CODES, Harness, Outcome, RunHeader, SampleTable, content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["read_counts"]

_MOST_SAMPLES = 10_000_000  # each becomes a row
_NEEDED = ("task_id", "n", "c")
_NAMES = ("task_id", "system", "benchmark")
_SUCCESS = "success"
_SLICE = "slice:"
_WORDS = {"1": 1, "true": 1, "0": 0, "false": 0}
_WHAT = {
    "n": "n counts graded samples",
    "c": "c counts samples that passed; a partial reward is no success",
    "errored": "errored counts samples without a verdict",
}
_PASS, _FAIL = OUTCOME_CODES.index(Outcome.RESOLVED), OUTCOME_CODES.index(Outcome.UNRESOLVED)


@dataclass
class _System:
    counts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Task → passed, graded, errored."""
    slices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Task → its value in each of the file's slices, in their order."""

    def add(self, task: str, slices: tuple[str, ...], counts: tuple[int, int, int], *, again: bool) -> None:
        """Add a row; a task may stand in several where each is of a sample."""
        if self.slices.setdefault(task, slices) != slices:
            raise DataError(f"task {task!r} was in other slices above")
        if not again and task in self.counts:
            raise DataError(f"task {task!r} stands twice for one system")
        c, n, errored = self.counts.get(task, (0, 0, 0))
        self.counts[task] = (c + counts[0], n + counts[1], errored + counts[2])


@dataclass(frozen=True)
class _Columns:
    """Where in a row each column stands; None where the file has no such column."""

    width: int
    task: int
    success: int | None
    n: int | None
    c: int | None
    errored: int | None
    names: dict[str, int]
    """Those that must not be blank."""
    slices: dict[str, int]


def read_counts(path: Path, system: str | None = None) -> dict[str, SampleTable]:
    """Read the systems of a counts file as runs.

    Parameters
    ----------
    path : Path
        CSV with the columns ``task_id``, ``n`` (graded samples), ``c`` (successes), and ``system`` where there are
        several; or a row a sample with ``success`` (0 or 1) in place of ``n`` and ``c``. ``errored`` counts samples
        without a verdict, beside `n`; ``benchmark`` names the suite; a column ``slice:NAME`` puts tasks into slices.
        Other columns are an error.
    system : str, optional
        Read this one only.

    Returns
    -------
    dict of str to SampleTable
        A run a system, in the file's order; where the file holds several benchmarks, a run a benchmark and system,
        named ``BENCHMARK/SYSTEM``. Counts know nothing of single samples: successes come first, no two
        answers are alike, no price is known, and runs can't be paired by sample. The version of their suite is a hash
        over the ids of all the benchmark's tasks in the file: two files of other tasks are two suites.

    Raises
    ------
    DataError
        Where the file can't be read, a column is missing or unknown, a count is none, or a task stands twice; the
        message has the line.
    UnknownNameError
        Where `system` is not in the file.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            slices, found = _systems(stream, str(path))
    except OSError as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8: {error.reason}", where=f"{path}:{_undecodable(path)}") from None
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for (benchmark, _), made in found.items():
        tasks[benchmark].update(made.counts)
    versions = {
        benchmark: content_digest("passband.counts", 2, {"benchmark": benchmark, "tasks": sorted(ids)}, where=str(path))
        for benchmark, ids in tasks.items()
    }
    systems = {f"{benchmark}/{own}" if len(tasks) > 1 else own: (benchmark, own) for benchmark, own in found}
    if system is not None and system not in systems:
        raise UnknownNameError("system", system, systems, where=str(path))
    wanted = systems if system is None else {system: systems[system]}
    return {name: _table(name, found[key], slices, key[0], versions[key[0]]) for name, key in wanted.items()}


def _undecodable(path: Path) -> int:
    """The first line that is not UTF-8."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return number


def _systems(stream: Iterable[str], where: str) -> tuple[tuple[str, ...], dict[tuple[str, str], _System]]:
    """Names of the slices, and (benchmark, system) → what the file says of it."""
    rows = csv.reader(stream)
    systems: defaultdict[tuple[str, str], _System] = defaultdict(_System)
    try:
        columns = _columns([name.strip() for name in next(rows, [])])
        for key, task, slices, counts in _entries(rows, columns):
            systems[key].add(task, slices, counts, again=columns.success is not None)
    except (DataError, csv.Error) as error:
        what, fix = (error.what, error.fix) if isinstance(error, DataError) else (f"cannot be read: {error}", None)
        raise DataError(what, where=f"{where}:{rows.line_num}" if rows.line_num else where, fix=fix) from None
    if not systems:
        raise DataError("holds no row", where=where)
    return tuple(columns.slices), systems


def _columns(heads: list[str]) -> _Columns:
    one_by_one = _SUCCESS in heads and not {"n", "c"} & set(heads)
    needed = ("task_id", _SUCCESS) if one_by_one else _NEEDED
    missing = [name for name in needed if name not in heads]
    other = next((mark for mark in (";", "\t", "|") if len(heads) == 1 and mark in heads[0]), None)
    if other is not None:
        raise DataError(f"its columns are parted by {other!r}", fix="use commas")
    if missing:
        fix = "there must be task_id, n and c, or task_id and success; system, benchmark and errored may be"
        raise DataError(f"has no column {', '.join(missing)}", fix=fix)
    known = {*needed, "system", "benchmark", *(() if one_by_one else ("errored",))}
    place = {name: at for at, name in enumerate(heads)}
    for name in heads:
        if name not in known and not name.startswith(_SLICE):
            raise DataError(f"has an unknown column {name!r}", fix=f"a slice's column is named {_SLICE}{name}")
        if heads.count(name) > 1:
            raise DataError(f"has the column {name!r} twice", fix="leave one out")
    return _Columns(
        width=len(heads),
        task=place["task_id"],
        success=place[_SUCCESS] if one_by_one else None,
        n=place.get("n"),
        c=place.get("c"),
        errored=place.get("errored"),
        names={name: place[name] for name in _NAMES if name in place},
        slices={name.removeprefix(_SLICE): at for name, at in place.items() if name.startswith(_SLICE)},
    )


def _entries(
    rows: Iterator[list[str]], columns: _Columns
) -> Iterator[tuple[tuple[str, str], str, tuple[str, ...], tuple[int, int, int]]]:
    """(benchmark, system), task, slices and counts of each row."""
    benchmark, system = columns.names.get("benchmark"), columns.names.get("system")
    success, names, sliced = columns.success, tuple(columns.names.items()), tuple(columns.slices.values())
    total = 0
    for row in rows:
        if not row:
            continue
        if len(row) != columns.width:
            raise DataError(f"has another number of fields than the {columns.width} columns")
        for name, at in names:
            if not row[at].strip():
                raise DataError(f"{name} is blank", fix="give each row its own, or leave the column out")
        key = ("counts" if benchmark is None else row[benchmark], "system" if system is None else row[system])
        counts = (_success(row[success]), 1, 0) if success is not None else _counts(row, columns)
        total += counts[1] + counts[2]
        if total > _MOST_SAMPLES:
            raise DataError(f"has more than {_MOST_SAMPLES:,} samples up to here", fix="passband.stats takes any n")
        yield key, row[columns.task], tuple([row[at] for at in sliced]), counts


def _success(text: str) -> int:
    found = _WORDS.get(text)
    if found is None:
        found = _WORDS.get(text.strip().lower().removesuffix(".0"))
    if found is None:
        raise DataError(f"success = {text!r} is neither 0 nor 1", fix="a partial reward is no success")
    return found


def _counts(row: list[str], columns: _Columns) -> tuple[int, int, int]:
    assert columns.n is not None
    assert columns.c is not None
    n, c = _count("n", row[columns.n]), _count("c", row[columns.c])
    errored = _count("errored", row[columns.errored] or "0") if columns.errored is not None else 0
    if c > n:
        raise DataError(f"c = {c} is more than n = {n}", fix="c counts those of the n samples that passed")
    if not n + errored:
        raise DataError("n = 0, and none errored", fix="leave the row out, or count in errored what had no verdict")
    return c, n, errored


def _count(name: str, text: str) -> int:
    try:
        value = float(text)
        found = int(value)
    except (ValueError, OverflowError):
        value, found = 0.5, 0
    if value != found:
        raise DataError(f"{name} = {text!r} is no count", fix=_WHAT[name])
    if found < 0:
        raise DataError(f"{name} = {text} is below 0", fix=_WHAT[name])
    return found


def _table(name: str, system: _System, slices: tuple[str, ...], suite: str, version: str) -> SampleTable:
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:6])
    harness = Harness(
        suite=suite,
        suite_version=version,
        grader=COUNTED,
        success_criterion="as counted",
        sandbox_tier="unknown",
    )
    header = RunHeader(
        run_id=name,
        subject=name,
        harness=harness,
        seed=digest,  # one of its own: counts can't be paired by sample
        samples_per_case=max(n + errored for _, n, errored in system.counts.values()),
        case_ids=tuple(system.counts),
        case_slices=tuple(
            {key: value for key, value in zip(slices, system.slices[task], strict=True) if value}
            for task in system.counts
        )
        if slices
        else ({},) * len(system.counts),
    )
    case, index, outcome = array("q"), array("q"), array("b")
    for place, (c, n, errored) in enumerate(system.counts.values()):
        case.extend(array("q", [place]) * (n + errored))
        index.extend(range(n + errored))
        outcome.extend(array("b", [_PASS]) * c + array("b", [_FAIL]) * (n - c) + array("b", [0]) * errored)
    worth = {_PASS: (1, 1.0), _FAIL: (0, 0.0), 0: (-1, float("nan"))}
    rows, base = len(case), digest << 15
    return SampleTable(
        header,
        case=case,
        index=index,
        passed=array("b", [worth[code][0] for code in outcome]),
        score=array("d", [worth[code][1] for code in outcome]),
        outcome=outcome,
        answer=array("q", range(base, base + rows)),
        cost_usd=array("d", [float("nan")]) * rows,
        tokens=array("q", bytes(8 * rows)),
        seconds=array("d", bytes(8 * rows)),
    )
