"""Somebody's claim that B beats A, as written down for a review. Percentages and points throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from passband.compare.toml_file import TomlError, read_toml
from passband.stats import largest_correlation

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Claim", "claim_schema", "read_claim"]

_Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
_MOST = 10**9  # of anything that is counted: more is a slip of the pen
_Count = Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
_Points = Annotated[float, msgspec.Meta(ge=0, lt=100)]


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was reported, and what is known of how it was measured."""

    tasks: Annotated[int, msgspec.Meta(ge=2, le=_MOST)]
    """Tasks of the benchmark, the same for both arms."""
    baseline: _Percent
    """Reported pass@1 of the baseline, the mean over its runs."""
    candidate: _Percent
    about: Literal["checkpoints", "recipe"]
    """Whether these checkpoints are compared, or the way they were trained."""
    samples: _Count
    """Samples of each task, of each run."""
    runs: _Count
    """Training runs of each arm."""
    chosen: Literal["fixed", "validation", "test", "unsaid"]
    """How each run's checkpoint was chosen: before anything was looked at, by other tasks, by these, or not said."""
    of: Annotated[int, msgspec.Meta(ge=2, le=_MOST)] | None = None
    """The candidate's checkpoint was the best of so many."""
    baseline_of: _Count = 1
    """The same of the baseline."""
    correlation: Annotated[float, msgspec.Meta(ge=-1, lt=1)] | None = None
    """Between one sample of each arm on one task, where per-task results are known."""
    icc: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """Between two samples of one arm on one task, where it is known."""
    training_sd: _Points | None = None
    """Spread, in points, of the true pass rates that the training seed alone makes, where it is known."""
    detect: Annotated[float, msgspec.Meta(gt=0, lt=100)] | None = None
    """The difference to plan for; the claimed one where left out."""
    power: Annotated[float, msgspec.Meta(ge=50, lt=100)] = 80.0
    level: Annotated[float, msgspec.Meta(ge=50, lt=100)] = 95.0
    name: str = "the claim"

    @property
    def rates(self) -> tuple[float, float]:
        """Baseline and candidate, as fractions."""
        return self.baseline / 100, self.candidate / 100

    @property
    def picked(self) -> int:
        """Out of how many checkpoints the candidate's number may have been picked by that very number."""
        return (self.of or 1) if self.chosen in {"test", "unsaid"} else 1


def read_claim(path: Path) -> Claim:
    """Read and check a claim.

    Parameters
    ----------
    path : Path
        TOML: the fields of :class:`Claim`.

    Raises
    ------
    TomlError
        With file, line and column, and the line itself with a caret in :attr:`TomlError.snippet`.
    """
    claim, text = read_toml(path, Claim, start="start from: passband review --example")

    def refuse(what: str, key: str, fix: str | None = None) -> TomlError:
        return TomlError.at(what, text, path, key=key, fix=fix)

    if claim.baseline == claim.candidate:
        raise refuse("both arms have one rate: there is no difference to review", "candidate")
    if claim.chosen == "test" and claim.of is None:
        raise refuse("chosen on these tasks, of how many is not said", "chosen", fix="add of = …")
    if claim.chosen == "fixed" and claim.of is not None:
        raise refuse("a checkpoint fixed beforehand is the best of none", "of", fix='drop it, or chosen = "test"')
    if claim.baseline_of > 1 and claim.of is None:
        raise refuse("the baseline was chosen, and the candidate was not", "baseline_of", fix="add of = …")
    if claim.correlation is not None:
        most = largest_correlation(*claim.rates, claim.tasks, icc=1.0 if claim.icc is None else claim.icc)
        if claim.correlation > most:
            bound = "rates" if claim.icc is None else "rates and this icc"
            raise refuse(f"such {bound} correlate by {most:.3f} at most", "correlation")
    return claim


def claim_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a claim's file."""
    schema = msgspec.json.schema(Claim)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Passband claim", **schema}
