"""The gym: thirty one-function programs with a bug each, and an environment in which to repair them."""

from tinyagent.gym.env import PLAIN_HARNESS, BugFixEnv, GymHarness, function_names
from tinyagent.gym.operators import OPERATORS, REPAIRS, SPECIAL_CASE, apply_operator
from tinyagent.gym.tasks import FAMILY_NAMES, TRIPLE, Task, make_tasks, outcome, source_of
from tinyagent.gym.words import words

__all__ = [
    "FAMILY_NAMES",
    "OPERATORS",
    "PLAIN_HARNESS",
    "REPAIRS",
    "SPECIAL_CASE",
    "TRIPLE",
    "BugFixEnv",
    "GymHarness",
    "Task",
    "apply_operator",
    "function_names",
    "make_tasks",
    "outcome",
    "source_of",
    "words",
]
