"""The policy file: what a candidate must be shown to be before it ships. Percentages and points throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from passband.compare.toml_file import TomlError, read_toml
from passband.records import content_digest

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CaseFloor",
    "Cost",
    "FlakyCases",
    "Floor",
    "InfraErrors",
    "NoLostCase",
    "NoWorse",
    "Policy",
    "PolicyError",
    "Power",
    "Rule",
    "policy_schema",
    "read_policy",
]

NOTHING_DECIDES = "no rule decides: every one is advisory"
MAKE_ONE_DECIDE = "leave advisory out of the rules that must hold"

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Points = Annotated[float, msgspec.Meta(ge=0, lt=100)]
Metric = Annotated[
    str, msgspec.Meta(pattern=r"^pass[@^][1-9][0-9]*$", description="pass@1, or pass@k or pass^k for another k")
]
SliceName = Annotated[
    str, msgspec.Meta(min_length=1, description="NAME=VALUE for one value of a slice, NAME for each of its values")
]


class PolicyError(TomlError):
    """A policy file that can't be read, or says what no policy says."""


class _Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all rules may say."""

    advisory: bool = False
    """Shown, and never decides."""

    @property
    def kind_name(self) -> str:
        """The rule's ``kind``."""
        return str(self.__struct_config__.tag)


class Floor(_Rule, frozen=True, kw_only=True, tag="floor"):
    """The lower end of the interval is at least `min`."""

    min: Percent
    metric: Metric = "pass@1"
    slice: SliceName | None = None


class NoWorse(_Rule, frozen=True, kw_only=True, tag="no_worse"):
    """The candidate is not worse than the baseline by `margin` points or more: non-inferiority."""

    margin: Points
    metric: Metric = "pass@1"
    slice: SliceName | None = None


class NoLostCase(_Rule, frozen=True, kw_only=True, tag="no_lost_case"):
    """No case that always passed may now always fail."""


class CaseFloor(_Rule, frozen=True, kw_only=True, tag="case_floor"):
    """No case passes less often than `min`: one broken case can't hide in a mean."""

    min: Percent


class InfraErrors(_Rule, frozen=True, kw_only=True, tag="infra_errors"):
    """At most `max` percent of scheduled samples have no verdict."""

    max: Percent


class FlakyCases(_Rule, frozen=True, kw_only=True, tag="flaky_cases"):
    """At most `max` cases give equal answers different verdicts."""

    max: Annotated[int, msgspec.Meta(ge=0)]


class Cost(_Rule, frozen=True, kw_only=True, tag="cost"):
    """A sample costs at most `max_usd`, and at most `max_increase` percent more than the baseline's."""

    max_usd: Annotated[float, msgspec.Meta(gt=0)] | None = None
    max_increase: Annotated[float, msgspec.Meta(ge=0)] | None = None


class Power(_Rule, frozen=True, kw_only=True, tag="power"):
    """The comparison would find a true loss of `detect` points with probability `power`."""

    detect: Annotated[float, msgspec.Meta(gt=0, lt=100)]
    power: Annotated[float, msgspec.Meta(gt=5, lt=100)] = 80.0


Rule = Floor | NoWorse | NoLostCase | CaseFloor | InfraErrors | FlakyCases | Cost | Power


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A gate's policy. The safety veto needs no rule: it always holds."""

    rule: Annotated[tuple[Rule, ...], msgspec.Meta(min_length=1)]
    name: str = "gate"
    level: Annotated[float, msgspec.Meta(ge=50, lt=100)] = 95.0
    """Confidence, percent, of all intervals of deciding rules together."""
    allow: tuple[str, ...] = ()
    """Fields of the harness in which candidate and baseline may differ."""

    @property
    def decides(self) -> bool:
        """Whether some rule is not advisory: with none, every candidate would pass."""
        return not all(rule.advisory for rule in self.rule)

    @property
    def digest(self) -> str:
        """Hash of what the policy says, whatever its layout and comments."""
        return content_digest("passband.gate", 1, msgspec.to_builtins(self))


def read_policy(path: Path) -> Policy:
    """Read and check a policy file.

    Parameters
    ----------
    path : Path
        TOML: the fields of :class:`Policy`, and a ``[[rule]]`` table a rule with its ``kind``.

    Raises
    ------
    PolicyError
        With file, line and column, and the line itself with a caret in :attr:`TomlError.snippet`.
    """
    policy, text = read_toml(
        path, Policy, error=PolicyError, kinds=_BY_KIND, start="start from: passband gate --example"
    )
    for number, rule in enumerate(policy.rule):
        if isinstance(rule, Cost) and rule.max_usd is None and rule.max_increase is None:
            raise PolicyError.at("a cost rule needs max_usd or max_increase", text, path, rule=number)
    if not policy.decides:
        raise PolicyError.at(NOTHING_DECIDES, text, path, rule=0, key="advisory", fix=MAKE_ONE_DECIDE)
    return policy


_BY_KIND: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (Floor, NoWorse, NoLostCase, CaseFloor, InfraErrors, FlakyCases, Cost, Power)
}


def policy_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the policy file."""
    schema = msgspec.json.schema(Policy)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Passband gate policy", **schema}
