"""One episode: an agent reads a program, edits it, runs its public tests and submits. Text in, text out."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from passband.errors import InvalidInputError, UsageError
from tinyagent.gym.operators import OPERATORS
from tinyagent.gym.randomness import uniform
from tinyagent.gym.tasks import Task, make_tasks, outcome, source_of
from tinyagent.gym.words import words

if TYPE_CHECKING:
    from typing import Self

__all__ = ["PLAIN_HARNESS", "BugFixEnv", "GymHarness", "function_names"]

_NAME_COUNTER = 2**32  # beyond every position of a token: the name never shares a random number with one
_LONGEST_ACTION = 2  # words


@dataclass(frozen=True)
class GymHarness:
    """Everything but the weights: change a field and every pass rate may change.

    Raises
    ------
    InvalidInputError
        Where a budget leaves no room for an episode.
    """

    max_turns: int = 6
    """Actions an episode may take."""
    max_edits: int | None = 1
    """Edits an episode may make; None for no limit, the plain environment. A refused edit costs a turn."""
    max_context: int = 96
    """Words an episode may hold, actions and observations together."""
    randomize_names: bool = True
    """Give the function another name in every episode."""
    name_pool: Literal["all", "train", "held-out"] = "all"
    """Whose names: of all thirty tasks, of the training tasks, of the held-out ones. A task never gets its own."""
    reward: Literal["hidden", "public"] = "hidden"
    """Which tests the reward looks at. Success is always hidden tests."""
    temperature: float = 1.0
    """Of the policy's distribution; 0 takes the most likely token."""

    def __post_init__(self) -> None:
        if self.max_turns < 1 or self.max_context < 8 or (self.max_edits is not None and self.max_edits < 0):
            raise InvalidInputError(f"no episode fits into {self}", where="GymHarness")
        if self.temperature < 0:
            raise InvalidInputError(f"is {self.temperature}", where="GymHarness.temperature", fix="0 is greedy")


PLAIN_HARNESS = GymHarness(max_edits=None)
"""The environment without an edit limit."""


def function_names(pool: str = "all") -> tuple[str, ...]:
    """Names that `GymHarness.name_pool` draws from: those of the tasks of a split, in their order."""
    return tuple(task.name for task in make_tasks(pool))


class BugFixEnv:
    r"""One episode, to be used once.

    Actions are ``read``, ``edit OPERATOR``, ``test`` and ``submit``; any other text is answered ``error`` and costs a
    turn like any action.

    Parameters
    ----------
    task : Task
    harness : GymHarness
    episode_key : int
        Source of the episode's randomness, which is the function's name.

    Examples
    --------
    >>> env = BugFixEnv(make_tasks("held-out")[0], GymHarness(randomize_names=False), episode_key=0)
    >>> env.reset()
    'fix under_cap\n'
    >>> env.step("edit fix_comparison")[0]
    'edited\n'
    >>> env.step("submit")[1:4]
    (1.0, True, False)
    """

    __slots__ = ("context", "edits", "harness", "name", "submitted", "task", "terminated", "transcript", "truncated")

    def __init__(self, task: Task, harness: GymHarness = PLAIN_HARNESS, episode_key: int = 0) -> None:
        self.task = task
        self.harness = harness
        self.name = _draw_name(task, harness, episode_key)
        self.edits: tuple[str, ...] = ()
        self.context = 0
        self.submitted = self.terminated = self.truncated = False
        self.transcript: tuple[tuple[str, str], ...] = ()
        """(action, observation) of every turn."""

    def reset(self) -> str:
        """Begin the episode and return the prompt.

        Raises
        ------
        UsageError
            On a second call: an episode has one beginning.
        """
        if self.context:
            raise UsageError("an episode is used once", where=self.task.id, fix="make a new BugFixEnv")
        prompt = f"fix {self.name}\n"
        self.context = len(words(prompt))
        return prompt

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one turn.

        Parameters
        ----------
        action : str
            Any text at all.

        Returns
        -------
        observation : str
            Empty after ``submit``.
        reward : float
            0 until the end; then 1 where the agent submitted and all tests that `GymHarness.reward` names passed.
        terminated : bool
            The agent submitted.
        truncated : bool
            A budget, of turns or of context, ran out.
        info : dict
            ``success``, ``public_success``, ``submitted``, ``edits``, ``turns``.

        Raises
        ------
        UsageError
            Before `reset` and after the end: a mistake of the caller, not of the agent.
        """
        if not self.context or self.done:
            raise UsageError("the episode has ended" if self.done else "reset comes first", where=self.task.id)
        observation = self._answer(action)
        self.transcript += ((action, observation),)
        self.context += len(action.split()) + len(words(observation))
        if not self.terminated:
            out_of_turns = len(self.transcript) >= self.harness.max_turns
            self.truncated = out_of_turns or self.context + _LONGEST_ACTION > self.harness.max_context
        return observation, self.reward, self.terminated, self.truncated, self._info()

    def _answer(self, action: str) -> str:
        match action.split():
            case ["read"]:
                return source_of(self.task, self.edits, self.name) + "\n"
            case ["test"]:
                passed = outcome(self.task, self.edits).public_passed
                return f"passed {passed} of {len(self.task.public)}\n"
            case ["edit", operator] if operator in OPERATORS:
                if self.harness.max_edits is not None and len(self.edits) >= self.harness.max_edits:
                    return "refused\n"
                self.edits += (operator,)
                return "edited\n"
            case ["submit"]:
                self.submitted = self.terminated = True
                return ""
            case _:
                return "error\n"

    @property
    def done(self) -> bool:
        """Whether the episode has ended, one way or the other."""
        return self.terminated or self.truncated

    @property
    def success(self) -> bool:
        """Submitted, and every hidden test passes; whatever the reward was."""
        return self.submitted and outcome(self.task, self.edits).solved

    @property
    def public_success(self) -> bool:
        """Submitted, and every public test passes."""
        return self.submitted and outcome(self.task, self.edits).public_passed == len(self.task.public)

    @property
    def reward(self) -> float:
        """What training sees."""
        return float(self.success if self.harness.reward == "hidden" else self.public_success)

    def fork(self) -> Self:
        """Copy the episode, so that it can go on in two ways."""
        return copy.copy(self)

    def _info(self) -> dict[str, Any]:
        return {
            "success": self.success,
            "public_success": self.public_success,
            "submitted": self.submitted,
            "edits": self.edits,
            "turns": len(self.transcript),
        }


def _draw_name(task: Task, harness: GymHarness, episode_key: int) -> str:
    if not harness.randomize_names:
        return task.name
    names = [name for name in function_names(harness.name_pool) if name != task.name]
    return names[int(uniform(episode_key, _NAME_COUNTER) * len(names))]
