"""What training on four families does to the fifth: measurements that section 17.6 and exercise 4 share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tinyagent.gym import OPERATORS, make_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tinyagent.chapter.lab import Evaluation, Lab
    from tinyagent.gym import Task

__all__ = ["EARLY", "Apart", "N", "apart", "entropy", "first_edit_right"]

N = 32
EARLY = 30
"""Updates of training on the four families."""


@dataclass(frozen=True)
class Apart:
    """One run without a family: its base agent and step `EARLY`, on the family and on the others' held-out variants."""

    seed: int
    family: str
    unseen: tuple[Evaluation, Evaluation]
    """Of the base agent and of step `EARLY` on the six tasks of the family."""
    variants: tuple[Evaluation, Evaluation]
    """Of both on the eight held-out variants of the other families."""

    @property
    def collapsed(self) -> bool:
        """Whether training made the family worse."""
        return int(self.unseen[1].counts.sum()) < int(self.unseen[0].counts.sum())


def apart(lab: Lab, family: str, seeds: Sequence[int]) -> list[Apart]:
    """Train on all families but one, and evaluate on that one and on the held-out variants of the others.

    Parameters
    ----------
    lab : Lab
    family : str
        To leave out, of demonstrations and of training.
    seeds : sequence of int
        Of training.
    """
    split = f"train-without:{family}"
    lab.train(seeds, steps=EARLY, split=split)
    tasks = make_tasks(f"family:{family}"), make_tasks(f"held-out-without:{family}")
    found = []
    for seed in seeds:
        agents = [lab.agent(seed, step, split=split) for step in (0, EARLY)]
        draw = lab.derive(f"families {family}", seed)
        unseen, variants = (tuple(lab.evaluate(agent, some, n=N, seed=draw) for agent in agents) for some in tasks)
        found.append(Apart(seed, family, (unseen[0], unseen[1]), (variants[0], variants[1])))
    return found


def first_edit_right(found: Evaluation, tasks: Sequence[Task]) -> float:
    """Share of all episodes whose first edit is the one that repairs their task."""
    right = np.array([OPERATORS.index(task.repair) for task in tasks])
    return float((found.first_edit == right[:, None]).mean())


def entropy(found: Evaluation) -> float:
    """Entropy, in nats, of the first edit of a task's episodes, averaged over tasks; log 6 is a uniform draw.

    An episode without an edit counts as a choice of its own.
    """
    said = []
    for row in found.first_edit:
        share = np.unique(row, return_counts=True)[1] / row.size
        said.append(-(share * np.log(share)).sum())
    return float(np.mean(said)) + 0.0
