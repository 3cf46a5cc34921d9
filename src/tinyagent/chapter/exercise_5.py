"""A canary for the harness."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from passband.errors import DataError
from tinyagent.chapter.artifacts import Section, Table
from tinyagent.chapter.words import listed
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, make_tasks
from tinyagent.rollouts import sample_groups
from tinyagent.scripted import BLIND, HACKER, ORACLE, STACKER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tinyagent.chapter.lab import Lab

__all__ = ["CHANGES", "EXPECTED", "all_fields", "canary", "changed", "moved", "run", "scores"]

N = 8
EXPECTED = {"oracle": (1.0, 1.0), "blind": (0.2, 0.2), "stacker": (0.2, 0.2), "hacker": (0.0, 0.0)}
"""Pass rate and mean reward of each policy under the training harness; the blind guess's is its expectation."""
_POLICIES = (ORACLE, BLIND, STACKER, HACKER)
CHANGES: dict[str, tuple[Any, ...]] = {
    "harness.max_turns": (1, 2, 3, 4, 5, 10),
    "harness.max_edits": (0, 2, 3, None),
    "harness.max_context": (8, 16, 32, 64, 80),
    "harness.randomize_names": (False,),
    "harness.name_pool": ("train", "held-out"),
    "harness.reward": ("public",),
    "harness.temperature": (0.0, 0.7, 1.3),
    "group_size": (2, 32),
    "learning_rate": (1e-3,),
    "final_learning_rate": (1.0,),
    "steps": (40,),
    "betas": ((0.9, 0.99),),
    "epochs": (1,),
    "clip": (0.1,),
    "normalize_std": (False,),
    "kl": (0.1,),
    "max_grad_norm": (0.1,),
    "eval_every": (0,),
    "eval_episodes": (32,),
    "seed": (1,),
}
"""Every field of the configuration, and what it is changed to."""


def changed(field: str, value: Any) -> RLConfig:
    """Return the default configuration with one field changed."""
    of_harness, _, name = field.rpartition(".")
    if of_harness:
        return RLConfig(harness=replace(GymHarness(), **{name: value}))
    return replace(RLConfig(), **{name: value})


def scores(cfg: RLConfig) -> dict[str, tuple[float, float]]:
    """Pass rate and mean reward of every scripted policy, in the environment that ``make_env(cfg)`` makes."""
    played = {policy.name: sample_groups(policy, make_tasks("held-out"), cfg, n=N) for policy in _POLICIES}
    return {name: (float(found.success.mean()), float(found.reward.mean())) for name, found in played.items()}


def moved(cfg: RLConfig) -> tuple[str, ...]:
    """Names of the scripted policies that do not score what they score under the training harness.

    Episodes have the same keys under every configuration, so that scores are compared to the digit, the blind guess's
    too.
    """
    known = scores(RLConfig())
    return tuple(name for name, found in scores(cfg).items() if found != known[name])


def canary(cfg: RLConfig) -> None:
    """Run the scripted policies under a configuration, and refuse it where one does not score as it should.

    Raises
    ------
    DataError
        Naming the policies that moved.
    """
    found = scores(cfg)
    names = moved(cfg)
    if names:
        said = ", ".join(f"{name} {found[name][0]:.2f} instead of {EXPECTED[name][0]:.2f}" for name in names)
        raise DataError(f"reference policies moved: {said}", where="canary", fix="the harness is another one")


def all_fields() -> Iterator[str]:
    """Yield the name of every field of the configuration, those of the harness as ``harness.NAME``."""
    yield from (f"harness.{field.name}" for field in fields(GymHarness))
    yield from (field.name for field in fields(RLConfig) if field.name != "harness")


def run(lab: Lab) -> Section:
    """Change every field, and see whom it moves."""
    agent, tasks = lab.agent(lab.seeds[0], 80), make_tasks("held-out")
    usual = lab.counts(agent, tasks, n=N)
    rows: list[tuple[str, str, str, str]] = []
    caught: dict[str, list[bool]] = {}
    frozen: dict[str, list[bool]] = {}
    for field, values in CHANGES.items():
        for value in values:
            cfg = changed(field, value)
            names = moved(cfg)
            now = lab.counts(agent, tasks, cfg, n=N)
            differs = bool((now != usual).any())
            caught.setdefault(field, []).append(bool(names))
            frozen.setdefault(field, []).append(differs)
            said = f"{usual.mean() / N:.3f} to {now.mean() / N:.3f}" if differs else ""
            rows.append((field, "no limit" if value is None else str(value), ", ".join(names), said))
    known = scores(RLConfig())
    policies = Table(
        "policies",
        f"The scripted policies under the training harness, {N} episodes of each held-out task",
        ("policy", "expected", "pass rate", "mean reward"),
        [(name, EXPECTED[name][0], *known[name]) for name in known],
    )
    table = Table(
        "fields",
        "Each field changed alone: which scripted policies move, and what the frozen step 80 of the first seed does",
        ("field", "changed to", "scripted policies that move", "step 80"),
        rows,
    )
    return Section(
        "exercise-5",
        "A canary for the harness",
        (policies, table),
        (),
        _measured(caught, frozen),
        (),
        "The exercise publishes no numbers.",
    )


def _measured(caught: dict[str, list[bool]], frozen: dict[str, list[bool]]) -> str:
    always = [field for field, found in caught.items() if all(found)]
    partly = [field for field, found in caught.items() if any(found) and not all(found)]
    missed = [field for field, found in caught.items() if not any(found)]
    saved = [field for field in missed if any(frozen[field])]
    hidden = [field for field in missed if not any(frozen[field])]
    harness = [field for field in hidden if field.startswith("harness.")]
    return (
        f"The scripted policies notice {len(always) + len(partly)} of {len(caught)} fields: every change tried of "
        f"{listed(always)}; some of {listed(partly)}, where a budget that none of them reaches may be any other. They "
        f"miss the other {len(missed)}.\n\n"
        f"A script samples nothing and does not read names, so it sees neither temperature nor names. A frozen "
        f"checkpoint is a canary of another kind: of the fields that the scripts miss, step 80 notices "
        f"{listed(saved)}, and changes of a budget that the scripts leave unused. Nobody notices "
        f"{len(hidden)} fields. Of the harness, {listed(harness)}: the episodes are others and score the same, which "
        f"is what training with drawn names was for. The other {len(hidden) - len(harness)} are settings of the "
        "training, which no evaluation of a given checkpoint depends on; only the configuration, recorded with every "
        "number, tells them."
    )
