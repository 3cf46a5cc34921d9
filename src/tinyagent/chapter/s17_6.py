"""Held-out splits and leakage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from passband.stats import paired_mean_difference, pass_rate_interval, seed_variance, wilson_interval
from tinyagent.chapter.artifacts import Published, Section, Table
from tinyagent.chapter.cells import ends
from tinyagent.chapter.families import EARLY, Apart, apart, first_edit_right
from tinyagent.chapter.s17_4 import early_counts
from tinyagent.chapter.words import count, estimate, often
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, function_names, make_tasks
from tinyagent.rollouts import sample_groups
from tinyagent.scripted import BLIND
from tinyagent.tokenizer import build_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from passband.stats import Estimate
    from tinyagent.agent import Agent
    from tinyagent.chapter.lab import Lab

__all__ = [
    "FAMILY",
    "N",
    "counts_from",
    "counts_without_words",
    "demonstrations_with_a_held_out_name",
    "episodes_with_a_held_out_name",
    "run",
    "unseen_words",
]

N = 32
FAMILY = "zero"
"""The family that is left out."""
_Pool: TypeAlias = Literal["all", "train", "held-out"]
_POOLS: tuple[_Pool, ...] = ("all", "train", "held-out")


def run(lab: Lab) -> Section:
    """Two splits of one agent; three channels by which held-out tasks could leak."""
    runs = apart(lab, FAMILY, lab.seeds)
    lab.train()
    words = unseen_words()
    channels = (
        len(words),
        len(build_tokenizer(make_tasks("all"))),
        demonstrations_with_a_held_out_name(lab.seeds[0]),
        episodes_with_a_held_out_name(lab),
    )
    pools = np.array([[counts_from(lab, seed, pool).mean() / N for pool in _POOLS] for seed in lab.seeds])
    shuffled = np.array([counts_without_words(lab, seed, words).mean() / N for seed in lab.seeds])
    noise = float(seed_variance(early_counts(lab), N).evaluation_sd)
    return Section(
        "17.6",
        "Held-out splits and leakage",
        (_splits(runs[0]), _seeds(runs), _audit(channels), _effects(pools, shuffled)),
        (),
        f"{_on_splits(runs)}\n\n{_on_leaks(channels, pools, shuffled, noise)}",
        _published(runs, channels, pools),
        "The opposite verdicts are here, and sharper: the base agent of this section never saw the family in its "
        "demonstrations either, where the chapter's had. The leak of names has the chapter's size, since it follows "
        "from twenty and ten names, and is as inert.",
    )


def _splits(first: Apart) -> Table:
    rows = []
    for name, evaluations, split in (
        (f"family {FAMILY}", first.unseen, f"family:{FAMILY}"),
        ("variants of the others", first.variants, f"held-out-without:{FAMILY}"),
    ):
        for agent, found in zip(("base", f"step {EARLY}"), evaluations, strict=True):
            rate = ends(pass_rate_interval(found.counts, N))
            rows.append((name, agent, *rate, found.reads.mean(), first_edit_right(found, make_tasks(split))))
    return Table(
        "splits",
        f"Trained for {EARLY} steps on four families, seed {first.seed}: pass@1 with its 95% interval for tasks like "
        "these, reads an episode, and how often the first edit was right",
        ("evaluated on", "agent", "pass@1", "low", "high", "reads", "first edit right"),
        rows,
    )


def _seeds(runs: list[Apart]) -> Table:
    return Table(
        "seeds",
        f"Pass@1 of {count(runs)} without {FAMILY}, base agent and step {EARLY}",
        ("seed", "unseen, base", f"unseen, step {EARLY}", "variants, base", f"variants, step {EARLY}"),
        [(one.seed, *(found.success.mean() for found in (*one.unseen, *one.variants))) for one in runs],
    )


def unseen_words() -> list[int]:
    """Numbers of the words that only held-out tasks brought into the vocabulary; function names are in it anyway."""
    every = build_tokenizer(make_tasks("all")).vocabulary
    known = set(build_tokenizer(make_tasks("train")).vocabulary)
    return [number for number, word in enumerate(every) if word not in known]


def _is_held_out(names: Iterable[str]) -> list[bool]:
    held_out = set(function_names("held-out"))
    return [name in held_out for name in names]


def demonstrations_with_a_held_out_name(seed: int) -> Estimate:
    """Share of the demonstrations of a cloning; those of a task and update share a name, so that pairs are counted."""
    from tinyagent.cloning import CloningConfig, demonstrate

    config, tokenizer, harness = CloningConfig(seed=seed), build_tokenizer(make_tasks("all")), GymHarness()
    names = []
    for step in range(config.steps):
        tree = demonstrate(make_tasks("train"), tokenizer, replace(config, group_size=1), step, harness)
        # Roots are prompts, "fix NAME": the name is each root's second word.
        first = [int(np.flatnonzero((tree.root == root) & (tree.position == 1))[0]) for root in np.unique(tree.root)]
        names += [tokenizer.vocabulary[int(tree.token[node])] for node in first]
    return wilson_interval(sum(_is_held_out(names)), len(names))


def episodes_with_a_held_out_name(lab: Lab) -> Estimate:
    """Share of training episodes, whose names no policy has a say in; counted by groups, which share a name."""
    cfg = RLConfig(seed=lab.seeds[0])
    names = []
    for step in range(cfg.steps):
        drawn = sample_groups(BLIND, make_tasks("train"), cfg, n=1, seed=lab.derive("17.6 names", step), one_name=True)
        names += [env.name for env in drawn.envs]
    return wilson_interval(sum(_is_held_out(names)), len(names))


def counts_from(lab: Lab, seed: int, pool: _Pool) -> NDArray[np.int64]:
    """Successes of step 80 on the held-out tasks, their names drawn from one pool."""
    cfg = RLConfig(harness=replace(GymHarness(), name_pool=pool))
    return lab.counts(lab.agent(seed, 80), make_tasks("held-out"), cfg, n=N, seed=lab.derive("17.6", seed))


def counts_without_words(lab: Lab, seed: int, words: list[int]) -> NDArray[np.int64]:
    """The same with the vectors of the words that only held-out tasks have dealt out among them anew."""
    agent: Agent = lab.agent(seed, 80)
    weight = agent.model.words.weight.data
    order = lab.rng("17.6 words", seed).permutation(len(words))
    weight[words] = weight[[words[place] for place in order]]
    return lab.counts(agent, make_tasks("held-out"), n=N, seed=lab.derive("17.6", seed))


def _audit(channels: tuple[int, int, Estimate, Estimate]) -> Table:
    unseen, words, demonstrated, trained = channels
    return Table(
        "channels",
        "Three channels by which held-out tasks could reach training, and how much of each is there",
        ("channel", "measured", "share", "low", "high"),
        [
            ("vocabulary", f"{unseen} of {words} words come from held-out tasks alone", unseen / words, None, None),
            ("cloning", "demonstrations that carry a held-out name", *ends(demonstrated)),
            ("renaming", "training episodes that carry a held-out name", *ends(trained)),
        ],
    )


def _effects(pools: NDArray[np.float64], shuffled: NDArray[np.float64]) -> Table:
    rows = []
    for name, rates in (
        ("names of training tasks only", pools[:, 1]),
        ("names of held-out tasks only", pools[:, 2]),
        ("vectors of held-out words dealt anew", shuffled),
    ):
        rows.append((name, rates[0], rates.mean(), *ends(paired_mean_difference(pools[:, 0], rates).estimate)))
    return Table(
        "effects",
        f"Held-out pass@1 of step 80 with a channel closed: first seed, mean of {count(pools)}, and the mean "
        "change with its 95% interval over seeds",
        ("evaluated with", "first seed", "mean", "change", "low", "high"),
        [("as in training", pools[0, 0], pools[:, 0].mean(), None, None, None), *rows],
    )


def _on_splits(runs: list[Apart]) -> str:
    first = runs[0]
    unseen, variants = (
        np.array([[one.success.mean() for one in getattr(run, what)] for run in runs])
        for what in ("unseen", "variants")
    )
    right = first_edit_right(first.unseen[1], make_tasks(f"family:{FAMILY}"))
    fell = sum(one.collapsed for one in runs)
    return (
        f"After {EARLY} steps on four families the first seed passes {variants[0, 1]:.3f} on held-out variants of "
        f"those four, from {variants[0, 0]:.3f}, and {unseen[0, 1]:.3f} on the family {FAMILY}, from "
        f"{unseen[0, 0]:.3f}. It still reads ({first.unseen[1].reads.mean():.2f} times an episode), and its first edit "
        f"is right in {right:.3f} of the episodes. Over {count(runs)} the variants go from {variants[:, 0].mean():.3f} "
        f"to {variants[:, 1].mean():.3f}, the family from {unseen[:, 0].mean():.3f} to {unseen[:, 1].mean():.3f}; it "
        f"falls below the base agent in {often(fell, len(runs))}. A split by variants and a split by families give "
        "opposite verdicts on one agent."
    )


def _on_leaks(
    channels: tuple[int, int, Estimate, Estimate],
    pools: NDArray[np.float64],
    shuffled: NDArray[np.float64],
    noise: float,
) -> str:
    unseen, words, demonstrated, trained = channels
    apart_by = paired_mean_difference(pools[:, 1], pools[:, 2]).estimate
    dealt = paired_mean_difference(pools[:, 0], shuffled).estimate
    return (
        f"The vocabulary leaks: {unseen} of {words} words come from held-out tasks alone, though no gradient ever read "
        f"them as input. Dealing their vectors out among them anew changes step 80 by {estimate(dealt)} over ten "
        f"seeds. The base agent is cloned on training tasks only, but {estimate(demonstrated)} of its demonstrations "
        f"carry a held-out name, as do {estimate(trained)} of the training episodes, since names are drawn from all "
        f"thirty. Names of training tasks only give {pools[:, 1].mean():.3f}, names of held-out tasks only "
        f"{pools[:, 2].mean():.3f}: apart by {estimate(apart_by)}, where one evaluation alone scatters by {noise:.3f}. "
        "The leak is real and moves nothing, since renaming made the name worthless while training."
    )


def _published(
    runs: list[Apart], channels: tuple[int, int, Estimate, Estimate], pools: NDArray[np.float64]
) -> tuple[Published, ...]:
    first = runs[0]
    rates = [float(found.success.mean()) for found in (*first.variants, *first.unseen)]
    return (
        Published("variants, base", 0.148, rates[0]),
        Published("variants, step 30", 0.930, rates[1]),
        Published("unseen family, base", 0.125, rates[2]),
        Published("unseen family, step 30", 0.031, rates[3]),
        Published("reads an episode there", 1.41, float(first.unseen[1].reads.mean())),
        Published("first edit right there", 0.03, first_edit_right(first.unseen[1], make_tasks(f"family:{FAMILY}"))),
        Published("training episodes with a held-out name", 0.34, ends(channels[3])[0]),
        Published("training names only", 0.844, float(pools[0, 1])),
        Published("held-out names only", 0.863, float(pools[0, 2])),
    )
