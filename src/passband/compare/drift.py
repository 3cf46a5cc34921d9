"""What differs between the harnesses of two runs, the heaviest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from passband.compare.harness import OPTIONAL, harness_differences

if TYPE_CHECKING:
    from passband.compare.harness import HarnessDifference
    from passband.records import RunHeader

__all__ = ["Drift", "DriftedField", "Weight", "harness_drift"]

Weight = Literal["another measurement", "moves most numbers", "moves some numbers", "seldom moves a number"]
"""What a difference can do, the heaviest first."""

# First match wins. In the order of how far each has been seen to move numbers: what is asked and what counts as an
# answer, then how the subject may work, then how it is graded, then the machine.
_WEIGHTS: tuple[tuple[str, Weight, str], ...] = (
    ("suite_version", "another measurement", "other cases, references or tests: compare on shared cases only"),
    ("suite", "another measurement", "another suite"),
    ("success_criterion", "another measurement", "another meaning of success"),
    ("prompt_template", "another measurement", "every case is asked in other words"),
    ("grader", "moves most numbers", "verdicts may turn on equal answers: regrade one run to see how many"),
    ("tools", "moves most numbers", "the subject can do other things"),
    (
        "budgets",
        "moves most numbers",
        "turns, tokens and edits end episodes that would have passed, or let guesses add up",
    ),
    ("sampling", "moves most numbers", "another distribution is sampled; temperature moves pass@1 and pass@k apart"),
    ("limits", "moves some numbers", "slow right answers may fail, or pass"),
    ("sandbox_tier", "moves some numbers", "what a candidate can reach differs"),
    ("packages.passband", "moves some numbers", "another version of this harness"),
    ("packages.python", "moves some numbers", "another interpreter runs the tests"),
    ("packages", "seldom moves a number", "another version of a package the tests may import"),
)


@dataclass(frozen=True)
class DriftedField:
    """One field that differs, and what it can do."""

    field: str
    one: Any
    two: Any
    weight: Weight
    why: str


@dataclass(frozen=True)
class Drift:
    """What two runs do not share apart from their samples."""

    one: str
    two: str
    fingerprints: tuple[str, str]
    fields: tuple[DriftedField, ...]
    """Of the harness; the heaviest first."""
    run_fields: tuple[DriftedField, ...]
    """Subject, seed, samples a case, cases: no part of the harness, yet no comparison is fair without knowing."""
    unrecorded: tuple[str, ...]
    """Fields that neither run recorded: a difference in them can't be seen."""


def harness_drift(one: RunHeader, two: RunHeader) -> Drift:
    """Compare the headers of two runs field by field.

    Parameters
    ----------
    one, two : RunHeader
        Two runs.

    Returns
    -------
    Drift
    """
    found = [_weighed(difference) for difference in harness_differences(one.harness, two.harness)]
    both = (msgspec.structs.asdict(one.harness), msgspec.structs.asdict(two.harness))
    return Drift(
        one=one.run_id,
        two=two.run_id,
        fingerprints=(one.harness.fingerprint, two.harness.fingerprint),
        fields=tuple(sorted(found, key=lambda field: get_args(Weight).index(field.weight))),
        run_fields=tuple(_run_fields(one, two)),
        unrecorded=tuple(name for name in (*OPTIONAL, "packages") if not any(side[name] for side in both)),
    )


def _weighed(difference: HarnessDifference) -> DriftedField:
    name = difference.field
    weight, why = next(
        ((w, y) for prefix, w, y in _WEIGHTS if name == prefix or name.startswith(prefix + ".")),
        ("moves some numbers", "not known to this version"),
    )
    return DriftedField(name, difference.baseline, difference.candidate, weight, why)


def _run_fields(one: RunHeader, two: RunHeader) -> list[DriftedField]:
    rows: list[tuple[str, Any, Any, str]] = [
        ("subject", one.subject, two.subject, "what is compared"),
        ("samples_per_case", one.samples_per_case, two.samples_per_case, "other widths of intervals"),
        ("seed", one.seed, two.seed, "samples can't be paired one by one"),
    ]
    keys = sorted({*one.subject_params, *two.subject_params})
    rows += [
        (f"subject_params.{key}", one.subject_params.get(key), two.subject_params.get(key), "what is compared")
        for key in keys
    ]
    lost = set(one.case_ids) ^ set(two.case_ids)
    if lost:
        said = "1 case is in one run only" if len(lost) == 1 else f"{len(lost)} cases are in one run only"
        rows.append(("cases", len(one.case_ids), len(two.case_ids), said))
    return [
        DriftedField(name, a, b, "seldom moves a number", why) for name, a, b, why in rows if a != b or name == "cases"
    ]
