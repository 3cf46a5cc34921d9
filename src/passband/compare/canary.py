"""Reference subjects whose scores are known: when they move, the harness has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from passband.compare.harness import OPTIONAL, HarnessDifference, harness_differences
from passband.compare.pairing import grid
from passband.compare.result import CaseChange
from passband.errors import DataError, UsageError
from passband.records import Harness, SampleTable, content_digest
from passband.stats import decide, paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from passband.stats import Estimate

__all__ = ["Canary", "CanaryReport", "Perch", "PerchResult", "check_canary", "record_perch"]


class Perch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reference subject and what it scored."""

    subject: str
    """Its specification."""
    params: str
    """Digest of its parameters: another version of the subject is another subject."""
    seed: int
    samples_per_case: int
    deterministic: bool
    """The same seed gives the same answers, so the same verdicts are wanted one by one."""
    tolerance: float
    """Otherwise: differences up to it, as a fraction, do not matter."""
    harness: Harness
    verdicts: Mapping[str, tuple[int, ...]]
    """Case → 1 passed, 0 failed, -1 no verdict; a sample an entry."""


class Canary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of reference scores."""

    suite: str
    """The suite's specification, to load it again."""
    perches: tuple[Perch, ...]


@dataclass(frozen=True)
class PerchResult:
    """What one reference subject says of the harness."""

    subject: str
    outcome: Literal["held", "moved", "unclear"]
    reason: str
    recorded: float | None
    """Pass@1 as recorded, over samples with a verdict."""
    now: float | None
    difference: Estimate | None
    """Where the subject is not deterministic: the interval that decided."""
    moved: tuple[CaseChange, ...]


@dataclass(frozen=True)
class CanaryReport:
    """What all reference subjects say, and what they can't see."""

    outcome: Literal["held", "moved", "unclear"]
    perches: tuple[PerchResult, ...]
    differences: tuple[HarnessDifference, ...]
    """Fields of the harness that differ from the recorded one, whether or not a score moved."""
    blind: tuple[str, ...]
    """What no reference subject can see, in words."""


def record_perch(table: SampleTable, *, deterministic: bool, tolerance: float) -> Perch:
    """Freeze what a reference subject scored.

    Raises
    ------
    UsageError
        Where `tolerance` is not between 0 and 1 for a subject that is not deterministic.
    DataError
        Where a sample has no verdict: a reference with holes would hide a change.
    """
    if not deterministic and not 0 < tolerance < 1:
        raise UsageError(f"a tolerance of {100 * tolerance:g} points is none", fix="for example tolerance = 5")
    verdicts = grid(table)
    if (verdicts < 0).any():
        raise DataError(
            f"{_samples(int((verdicts < 0).sum()))} no verdict", where=table.header.run_id, fix="record it again"
        )
    header = table.header
    return Perch(
        subject=header.subject,
        params=_params(table),
        seed=header.seed,
        samples_per_case=header.samples_per_case,
        deterministic=deterministic,
        tolerance=tolerance,
        harness=header.harness,
        verdicts={case: tuple(map(int, row)) for case, row in zip(header.case_ids, verdicts, strict=True)},
    )


def _params(table: SampleTable) -> str:
    return content_digest("passband.canary", 1, table.header.subject_params)


def check_canary(canary: Canary, tables: Iterable[SampleTable]) -> CanaryReport:
    """Hold new runs of the reference subjects against what they scored.

    Parameters
    ----------
    canary : Canary
        The recorded scores.
    tables : iterable of SampleTable
        A run of each of its subjects, in its order, under the harness in question.

    Returns
    -------
    CanaryReport
        ``moved`` where any subject's scores did, else ``unclear`` where any can't be told, else ``held``.
    """
    results = []
    differences: dict[str, HarnessDifference] = {}
    for perch, table in zip(canary.perches, tables, strict=True):
        results.append(_check(perch, table))
        for found in harness_differences(perch.harness, table.header.harness):
            differences.setdefault(found.field, found)
    words = [result.outcome for result in results]
    outcome: Any = "moved" if "moved" in words else "unclear" if "unclear" in words else "held"
    return CanaryReport(
        outcome=outcome, perches=tuple(results), differences=tuple(differences.values()), blind=tuple(_blind(canary))
    )


def _check(perch: Perch, table: SampleTable) -> PerchResult:
    new = grid(table)
    places = {case: i for i, case in enumerate(table.header.case_ids)}
    shared = [case for case in perch.verdicts if case in places]
    old_rows = np.array([perch.verdicts[case] for case in shared], dtype=np.int8).reshape(len(shared), -1)
    new_rows = new[[places[case] for case in shared]]

    def result(
        outcome: Literal["held", "moved", "unclear"], reason: str, difference: Estimate | None = None
    ) -> PerchResult:
        return PerchResult(
            subject=perch.subject,
            outcome=outcome,
            reason=reason,
            recorded=_rate(old_rows),
            now=_rate(new_rows),
            difference=difference,
            moved=_moved(shared, old_rows, new_rows),
        )

    if _params(table) != perch.params:
        return result("unclear", "the subject itself is another version: record it again under the old harness")
    lost = len(perch.verdicts) + len(places) - 2 * len(shared)
    if lost:
        return result("moved", f"{'1 case is' if lost == 1 else f'{lost} cases are'} not in both: another suite")
    holes = int((new_rows < 0).sum())
    if perch.deterministic:
        if new_rows.shape != old_rows.shape:
            return result("unclear", "another number of samples")
        turned = int(((new_rows != old_rows) & (new_rows >= 0)).sum())
        if turned:
            return result("moved", f"{turned} of {old_rows.size} verdicts turned, and none may")
        if holes:
            return result("unclear", f"{_samples(holes)} no verdict; no other turned")
        return result("held", f"all {old_rows.size} verdicts are the same")
    n_new = (new_rows >= 0).sum(axis=1)
    if not n_new.all():
        return result("unclear", "some case has no verdict at all")
    found = paired_difference(
        (old_rows == 1).sum(axis=1), old_rows.shape[1], (new_rows == 1).sum(axis=1), n_new, level=0.95
    )
    word = decide(found, perch.tolerance).verdict
    margin = f"±{100 * perch.tolerance:g} points"
    if word == "same":
        return result("held", f"whole CI is within {margin}", found.estimate)
    if word in {"better", "worse"}:
        return result("moved", f"whole CI is beyond {margin}", found.estimate)
    return result("unclear", f"CI crosses {margin}: draw more samples", found.estimate)


def _rate(rows: NDArray[np.int8]) -> float | None:
    known = rows[rows >= 0]
    return float(known.mean()) if known.size else None


def _moved(cases: list[str], old: NDArray[np.int8], new: NDArray[np.int8]) -> tuple[CaseChange, ...]:
    out = []
    for case, a, b in zip(cases, old, new, strict=True):
        counts = (int((a == 1).sum()), int((a >= 0).sum())), (int((b == 1).sum()), int((b >= 0).sum()))
        turned = a.shape != b.shape or ((a != b) & (b >= 0)).any()
        if turned:
            out.append(CaseChange(case, *counts))
    out.sort(key=lambda m: (-abs(m.candidate[0] - m.baseline[0]), m.id))
    return tuple(out)


def _blind(canary: Canary) -> Iterable[str]:
    unused = [name for name in OPTIONAL if not any(getattr(perch.harness, name) for perch in canary.perches)]
    if unused:
        yield f"{', '.join(unused)}: no reference subject uses them, so a change there moves none"
    rates = [rate for perch in canary.perches if (rate := _rate(np.array(list(perch.verdicts.values())))) is not None]
    if rates and all(rate == 0.0 for rate in rates):
        yield "anything that makes passing harder: no reference subject passes anything, and none can fall"
    if rates and all(rate == 1.0 for rate in rates):
        yield "anything that makes passing easier: every reference subject passes everything, and none can rise"


def _samples(number: int) -> str:
    return "1 sample has" if number == 1 else f"{number} samples have"
