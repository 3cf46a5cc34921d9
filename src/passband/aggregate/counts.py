"""Anyone's counts as runs: a CSV of successes and samples a system and task."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passband.aggregate.arrays import COUNTED
from passband.errors import DataError, UnknownNameError
from passband.records import OUTCOME_CODES, Harness, Outcome, RunHeader, SampleTable, content_digest

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_counts"]

_MOST_SAMPLES = 10_000_000  # each becomes a row
_NEEDED = ("task_id", "n", "c")
_NAMES = ("task_id", "system", "benchmark")
_SUCCESS = "success"
_PASS, _FAIL = OUTCOME_CODES.index(Outcome.RESOLVED), OUTCOME_CODES.index(Outcome.UNRESOLVED)


@dataclass
class _System:
    counts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Task → passed, graded, errored."""
    slices: dict[str, dict[str, str]] = field(default_factory=dict)


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
        answers are alike, no price is known, and runs can't be paired by sample.

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
            found = _systems(csv.DictReader(stream), str(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None
    several = len({benchmark for benchmark, _ in found}) > 1
    systems = {f"{benchmark}/{name}" if several else name: (name, benchmark) for benchmark, name in found}
    if system is not None and system not in systems:
        raise UnknownNameError("system", system, systems, where=str(path))
    wanted = systems if system is None else {system: systems[system]}
    return {name: _table(name, found[benchmark, own], benchmark) for name, (own, benchmark) in wanted.items()}


def _systems(rows: csv.DictReader[str], where: str) -> dict[tuple[str, str], _System]:
    columns = [name.strip() for name in rows.fieldnames or ()]
    rows.fieldnames = columns
    one_by_one = _SUCCESS in columns and not {"n", "c"} & set(columns)
    needed = ("task_id", _SUCCESS) if one_by_one else _NEEDED
    missing = [name for name in needed if name not in columns]
    if missing:
        fix = "there must be task_id, n and c, or task_id and success; system, benchmark and errored may be"
        raise DataError(f"has no column {', '.join(missing)}", where=where, fix=fix)
    known = {*needed, "system", "benchmark", *(() if one_by_one else ("errored",))}
    sliced = [name for name in columns if name.startswith("slice:")]
    unknown = [name for name in columns if name not in known and name not in sliced]
    if unknown:
        raise DataError(
            f"has an unknown column {unknown[0]!r}", where=where, fix=f"a slice's column is named slice:{unknown[0]}"
        )
    systems: dict[tuple[str, str], _System] = {}
    total = 0
    for row in rows:
        line = f"{where}:{rows.line_num}"
        if None in row or None in row.values():
            raise DataError(f"has another number of fields than the {len(columns)} columns", where=line)
        blank = next((name for name in _NAMES if name in row and not row[name].strip()), None)
        if blank is not None:
            raise DataError(f"{blank} is blank", where=line, fix="give each row its own, or leave the column out")
        entry = systems.setdefault((row.get("benchmark", "counts"), row.get("system", "system")), _System())
        task = row["task_id"]
        if one_by_one:
            c, n, errored = entry.counts.get(task, (0, 0, 0))
            entry.counts[task] = (c + _success(row[_SUCCESS], line), n + 1, errored)
        elif task in entry.counts:
            raise DataError(f"task {task!r} stands twice for one system", where=line)
        else:
            entry.counts[task] = _counts(row["c"], row["n"], row.get("errored") or "0", line)
            total += sum(entry.counts[task][1:])
            if total > _MOST_SAMPLES:
                raise DataError(
                    f"has more than {_MOST_SAMPLES:,} samples up to here", where=line, fix="passband.stats takes any n"
                )
        entry.slices[task] = {name.removeprefix("slice:"): row[name] for name in sliced if row[name]}
    if not systems:
        raise DataError("holds no row", where=where)
    return systems


def _success(text: str, where: str) -> int:
    found = {"1": 1, "true": 1, "0": 0, "false": 0}.get(text.strip().lower().removesuffix(".0"))
    if found is None:
        raise DataError(f"success = {text!r} is neither 0 nor 1", where=where, fix="a partial reward is no success")
    return found


def _counts(c_text: str, n_text: str, errored_text: str, where: str) -> tuple[int, int, int]:
    try:
        found = [float(text) for text in (c_text, n_text, errored_text)]
        whole = [int(value) for value in found]
    except (ValueError, OverflowError):
        found, whole = [0.5], []
    if found != whole:
        raise DataError(
            f"c = {c_text!r} of n = {n_text!r} are no counts",
            where=where,
            fix="c counts samples that passed; a partial reward is no success",
        )
    c, n, errored = whole
    if not 0 <= c <= n or errored < 0 or n + errored < 1:
        raise DataError(f"c = {c_text} of n = {n_text} makes no sense", where=where)
    return c, n, errored


def _table(name: str, system: _System, suite: str) -> SampleTable:
    tasks = tuple(system.counts)
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:6])
    harness = Harness(
        suite=suite,
        suite_version=content_digest("passband.counts", 1, suite),
        grader=COUNTED,
        success_criterion="as counted",
        sandbox_tier="unknown",
    )
    table = SampleTable(
        RunHeader(
            run_id=name,
            subject=name,
            harness=harness,
            seed=digest,  # one of its own: counts can't be paired by sample
            samples_per_case=max(n + errored for _, n, errored in system.counts.values()),
            case_ids=tasks,
            case_slices=tuple(system.slices[task] for task in tasks),
        )
    )
    base = digest << 15
    for case, (c, n, errored) in enumerate(system.counts.values()):
        for index in range(n + errored):
            graded = index < n
            table.append(
                case=case,
                index=index,
                outcome=(_PASS if index < c else _FAIL) if graded else 0,
                score=float(index < c) if graded else None,
                answer=base + len(table),
                cost_usd=None,
                tokens=0,
                seconds=0.0,
            )
    return table
