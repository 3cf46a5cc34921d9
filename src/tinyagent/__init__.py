"""TinyAgent: a laboratory for evaluation, small enough to read in one sitting.

Thirty one-function programs with a bug each, an agent of 161 thousand weights that repairs them, and group-relative
policy optimisation to train it. It uses Passband's records, runner and statistics; Passband knows nothing of it.
What needs torch is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyagent.config import RLConfig
from tinyagent.gym import PLAIN_HARNESS, BugFixEnv, GymHarness, Task, make_tasks
from tinyagent.rollouts import Policy, Rollouts, eval_pass, make_env, pass_rate, sample_counts, sample_groups
from tinyagent.scripted import BLIND, HACKER, ORACLE, STACKER, ScriptedPolicy
from tinyagent.tokenizer import Tokenizer, build_tokenizer

if TYPE_CHECKING:
    from tinyagent.agent import Agent
    from tinyagent.checkpoint import Checkpoint, find_checkpoint, load_checkpoint, save_checkpoint, weights_digest
    from tinyagent.cloning import CloningConfig, base_agent
    from tinyagent.metrics import StepMetrics
    from tinyagent.train import Trainer, train_rl, train_snapshots

__all__ = [
    "BLIND",
    "HACKER",
    "ORACLE",
    "PLAIN_HARNESS",
    "STACKER",
    "Agent",
    "BugFixEnv",
    "Checkpoint",
    "CloningConfig",
    "GymHarness",
    "Policy",
    "RLConfig",
    "Rollouts",
    "ScriptedPolicy",
    "StepMetrics",
    "Task",
    "Tokenizer",
    "Trainer",
    "base_agent",
    "build_tokenizer",
    "eval_pass",
    "find_checkpoint",
    "load_checkpoint",
    "make_env",
    "make_tasks",
    "pass_rate",
    "sample_counts",
    "sample_groups",
    "save_checkpoint",
    "train_rl",
    "train_snapshots",
    "weights_digest",
]

_LAZY = {
    "Agent": "agent",
    "Checkpoint": "checkpoint",
    "CloningConfig": "cloning",
    "StepMetrics": "metrics",
    "Trainer": "train",
    "base_agent": "cloning",
    "find_checkpoint": "checkpoint",
    "load_checkpoint": "checkpoint",
    "save_checkpoint": "checkpoint",
    "train_rl": "train",
    "train_snapshots": "train",
    "weights_digest": "checkpoint",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
