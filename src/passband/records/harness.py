"""Everything but the weights, and the header of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from passband.records.canonical import content_digest

__all__ = ["Harness", "RunHeader"]


class Harness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What defines a number apart from the subject: change a field and every pass probability may change."""

    suite: str
    suite_version: str
    """Content hash of the suite."""
    grader: str
    """Name and version, for example ``execution@1``."""
    success_criterion: str
    sandbox_tier: str
    limits: Mapping[str, Any] = msgspec.field(default_factory=dict)
    prompt_template: str | None = None
    """Digest of the template file, where there is one."""
    tools: tuple[str, ...] = ()
    budgets: Mapping[str, Any] = msgspec.field(default_factory=dict)
    sampling: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Temperature and its kin."""
    packages: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Versions of the interpreter and of the packages that can move a verdict."""

    @property
    def fingerprint(self) -> str:
        """Digest of every field; it travels with every number."""
        return content_digest("passband.harness", 1, msgspec.to_builtins(self, enc_hook=dict))


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One subject × suite × n under one harness."""

    run_id: str
    subject: str
    """The subject's specification as it was given."""
    subject_params: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What identifies the subject beyond its name: versions, digests of code, settings."""
    harness: Harness
    seed: int
    samples_per_case: int
    case_ids: tuple[str, ...]
    case_slices: tuple[Mapping[str, str], ...] = ()
    """The slices of each case, in the order of `case_ids`."""
    created_at: float = 0.0
