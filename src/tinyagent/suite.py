"""The gym as a suite of Passband: ``passband run python:tinyagent.suite:held_out --subject tinyagent:CHECKPOINT``.

An answer is the list of an episode's actions, one a line. The judge plays them again and runs the hidden tests itself:
what an agent says about its own success is never asked.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from passband.records import EvalCase, PredicateSpec
from passband.suite import EvalSuite
from tinyagent.gym import BugFixEnv, GymHarness, make_tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tinyagent.gym import Task

__all__ = ["all_tasks", "environment", "gym_suite", "held_out", "play", "solved", "train", "validation"]


def gym_suite(split: str, harness: GymHarness = GymHarness()) -> EvalSuite:  # noqa: B008 - frozen
    """Make a suite of the tasks of a split.

    Parameters
    ----------
    split : str
        As for :func:`tinyagent.make_tasks`.
    harness : GymHarness
        Part of every case, so that the suite's version moves with it.
    """
    return EvalSuite(f"gym-{split.replace(':', '-')}", tuple(_case(task, harness) for task in make_tasks(split)))


def _case(task: Task, harness: GymHarness) -> EvalCase:
    return EvalCase(
        id=task.id,
        inputs={"harness": asdict(harness)},
        reference="\n".join(("read", f"edit {task.repair}", "submit")),
        grader_spec=PredicateSpec(target="tinyagent.suite:solved", digest=_source_digest()),
        slices={"family": task.family},
    )


@cache
def _source_digest() -> str:
    """Digest of all that decides on success: the gym's modules and this one."""
    digest = hashlib.sha256()
    folder = files("tinyagent")
    for module in (folder / "suite.py", *sorted((folder / "gym").iterdir(), key=lambda found: found.name)):
        if module.name.endswith(".py"):
            digest.update(module.name.encode() + b"\0" + module.read_bytes() + b"\0")
    return digest.hexdigest()


def environment(case_id: str, inputs: Mapping[str, Any], episode_key: int) -> BugFixEnv:
    """Make the environment that a case describes."""
    (task,) = (task for split in ("all", "validation") for task in make_tasks(split) if task.id == case_id)
    return BugFixEnv(task, GymHarness(**inputs["harness"]), episode_key)


def play(answer: str, case: EvalCase) -> BugFixEnv:
    """Play an answer's actions until the episode ends or the actions do."""
    env = environment(case.id, case.inputs, 0)  # the function's name is the key's only effect, and counts as one word
    env.reset()
    for action in answer.split("\n"):
        if env.done:
            break
        env.step(action)
    return env


def solved(answer: str, case: EvalCase) -> bool:
    """Whether an answer's actions submit a program that passes every hidden test: the suite's predicate."""
    return play(answer, case).success


all_tasks = partial(gym_suite, "all")
"""All thirty."""
train = partial(gym_suite, "train")
"""The twenty that training samples."""
held_out = partial(gym_suite, "held-out")
"""The ten that training never sees."""
validation = partial(gym_suite, "validation")
"""Ten others, to choose by."""
