"""What a run will be, before anything is asked: its harness, its header, its name."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import msgspec

import passband
from passband.errors import UsageError
from passband.grade import GRADER_VERSION
from passband.records import ExecutionSpec, Harness, RunHeader, content_digest
from passband.subject import Configured, ConfiguredBySuite, HarnessPart, view_of

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.subject import Subject
    from passband.suite import EvalSuite

__all__ = ["make_header", "plan_harness"]

_MOST_SAMPLES = 10**8  # a byte each while a run is under way, and some hundreds in its store
_CRITERIA = {
    "execution": "all(FAIL_TO_PASS) and all(PASS_TO_PASS) and edits within allowed_files",
    "exact_match": "answer equals reference",
    "predicate": "predicate(answer, case)",
}


def plan_harness(suite: EvalSuite, grading: Grading, subject: Subject | None = None) -> Harness:
    """Collect everything but the subject that defines the numbers of a run."""
    specs = [case.grader_spec for case in suite]
    kinds = sorted({spec.__struct_config__.tag for spec in specs}, key=str)
    limits: dict[str, Any] = {}
    for spec in specs:
        for name, value in msgspec.structs.asdict(getattr(spec, "limits", None) or _NoLimits()).items():
            limits.setdefault(name, []).append(value)
    # Text is graded in this process: isolation is not looked for where none is needed, which takes half a second.
    described: dict[str, Any] = {"grader": f"passband@{GRADER_VERSION}", "sandbox_tier": "none"}
    if any(isinstance(spec, ExecutionSpec) for spec in specs):
        described = grading.describe()
    part = _subject_part(subject, suite)
    return Harness(
        suite=suite.name,
        suite_version=suite.version,
        grader=described["grader"],
        sandbox_tier=described["sandbox_tier"],
        success_criterion="; ".join(_CRITERIA[str(kind)] for kind in kinds),
        limits={name: sorted(set(values)) for name, values in limits.items()},
        prompt_template=part.prompt_template,
        tools=part.tools,
        budgets=part.budgets,
        sampling=part.sampling,
        packages={
            "passband": passband.__version__,
            "python": platform.python_version(),
            **described.get("packages", {}),
        },
    )


def _subject_part(subject: Subject | None, suite: EvalSuite) -> HarnessPart:
    if isinstance(subject, ConfiguredBySuite):
        return subject.harness_for([view_of(case) for case in suite])
    return subject.harness if isinstance(subject, Configured) else HarnessPart()


class _NoLimits(msgspec.Struct):
    """The limits of a grader that runs nothing."""


def make_header(
    suite: EvalSuite,
    subject: Subject,
    grading: Grading,
    *,
    samples_per_case: int,
    seed: int,
    created_at: float,
) -> RunHeader:
    """Make the header of a run.

    The run's id is a digest of all that defines it, so that the same command names the same run, and a store can tell
    a run to resume from a new one.

    Raises
    ------
    UsageError
        Where `samples_per_case` or `seed` is out of range.
    """
    if samples_per_case < 1:
        raise UsageError(f"{samples_per_case} samples a case is no run", fix="give -n 1 or more")
    if samples_per_case * len(suite) > _MOST_SAMPLES:
        raise UsageError(
            f"{samples_per_case:,} samples of {len(suite):,} cases are more than the {_MOST_SAMPLES:,} of one run",
            fix="give a smaller -n",
        )
    if not 0 <= seed < 2**53:
        raise UsageError(f"the seed {seed} is not between 0 and 2**53 - 1")
    harness = plan_harness(suite, grading, subject)
    identity = {
        "subject": subject.name,
        "params": subject.params,
        "harness": harness.fingerprint,
        "seed": seed,
        "n": samples_per_case,
    }
    digest = content_digest("passband.run", 1, identity, where=f"subject {subject.name}")
    return RunHeader(
        run_id=f"{_stem(subject.name)}-{digest[:8]}",
        subject=subject.name,
        subject_params=subject.params,
        harness=harness,
        seed=seed,
        samples_per_case=samples_per_case,
        case_ids=tuple(case.id for case in suite),
        case_slices=tuple(case.slices for case in suite),
        created_at=created_at,
    )


def _stem(subject: str) -> str:
    """Cut a subject's name down to a word that begins a run's id: neither its kind, nor its address, nor a folder."""
    kind, colon, rest = subject.partition(":")
    words = (rest if colon and kind.isalpha() else subject).split("@http", 1)[0].split()
    name = words[0].rsplit("/", 1)[-1] if words else ""
    return "".join(ch if ch.isalnum() or ch in "-_" else "-" for ch in name)[:40].strip("-") or "run"
