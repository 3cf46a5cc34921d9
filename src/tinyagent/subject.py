"""A checkpoint as a subject of Passband, found through the entry point ``passband.subjects``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from passband.errors import UsageError
from passband.records import Answer, AnswerFormat, Usage
from passband.subject import HarnessPart, Response
from tinyagent.checkpoint import find_checkpoint, load_checkpoint, weights_digest
from tinyagent.suite import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passband.subject import CaseView
    from tinyagent.gym import BugFixEnv

__all__ = ["CheckpointSubject", "load"]

_ACTIONS = ("read", "edit", "test", "submit")


class CheckpointSubject:
    """Plays the episodes of a gym suite with the weights of a checkpoint.

    Parameters
    ----------
    name : str
        How it is called in reports.
    path : Path
        The checkpoint.
    """

    batch_size = 1024
    """Questions that it likes to get at once."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._checkpoint = load_checkpoint(path)
        self._params = {"weights": weights_digest(self._checkpoint.agent.model), "step": self._checkpoint.step}

    @property
    def params(self) -> Mapping[str, Any]:
        """Digest of the weights, and the step of training they come from."""
        return self._params

    def harness_for(self, views: Sequence[CaseView]) -> HarnessPart:
        """Budgets and temperature of the gym, which stand in its cases."""
        found = [view.inputs.get("harness") for view in views]
        given = [harness for harness in found if isinstance(harness, Mapping)]

        def all_of(*names: str) -> dict[str, Any]:
            return {name: [*{str(one.get(name)): one.get(name) for one in given}.values()] for name in names}

        return HarnessPart(
            tools=_ACTIONS,
            budgets=all_of("max_turns", "max_edits", "max_context"),
            sampling=all_of("temperature"),
        )

    def sample(self, view: CaseView, seed: int) -> Response:
        """Play one episode."""
        return self.sample_batch([view], [seed])[0]

    def sample_batch(self, views: Sequence[CaseView], seeds: Sequence[int]) -> list[Response]:
        """Play many episodes; each depends on its case and its seed alone.

        Raises
        ------
        UsageError
            Where a case is not one of the gym.
        """
        envs = [_environment(view, seed) for view, seed in zip(views, seeds, strict=True)]
        rollouts = self._checkpoint.agent.rollout(envs, np.array(seeds, np.uint64))
        tree = rollouts.tree
        assert tree is not None
        read = tree.position[tree.ends] + 1 - tree.actions_per_episode
        return [
            _response(rollouts.episode(place), int(read[place]), int(tree.actions_per_episode[place]))
            for place in range(len(rollouts))
        ]


def _environment(view: CaseView, seed: int) -> BugFixEnv:
    try:
        return environment(view.id, view.inputs, seed)
    except (KeyError, TypeError, ValueError):
        fix = "it plays the gym: python:tinyagent.suite:held_out"
        raise UsageError("is not a case of the gym", where=view.id, fix=fix) from None


def _response(env: BugFixEnv, read: int, written: int) -> Response:
    return Response(
        output=Answer.of("\n".join(action for action, _ in env.transcript), AnswerFormat.TEXT),
        trace=tuple({"action": action, "observation": answer} for action, answer in env.transcript),
        usage=Usage(input_tokens=read, output_tokens=written),
    )


def load(rest: str) -> CheckpointSubject:
    """Make the subject that ``tinyagent:REST`` names.

    Parameters
    ----------
    rest : str
        A checkpoint's file; a folder of ``tinyagent train``, ``FOLDER@STEP`` for another than its last step; or the
        name of a shipped one: ``base``, ``step-80``, …

    Raises
    ------
    UnknownNameError, DataError
        Where there is none, or what there is cannot be read.
    """
    name, at, step = rest.rpartition("@")
    if at and step.isdecimal():
        return CheckpointSubject(f"tinyagent:{rest}", find_checkpoint(name, int(step)))
    return CheckpointSubject(f"tinyagent:{rest}", find_checkpoint(rest))
