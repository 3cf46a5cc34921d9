"""The gym behind other interfaces. Those that need a package of their own are tried where it is installed."""

import importlib.util

import pytest

from tinyagent.adapters.trl_env import TRLBugFix, dataset_rows
from tinyagent.gym import make_tasks


def test_trl_environment():
    """Reset from a row, tools in turn, reward at the end; a call after the end is answered."""
    row = dataset_rows(make_tasks("held-out"))[0]
    env = TRLBugFix()
    assert env.get_reward() == 0.0
    assert env.reset(**row).startswith("fix ")
    assert env.read().startswith("def ")
    assert env.edit("fix_comparison") == "edited\n"
    assert env.test() == "passed 2 of 2\n"
    assert env.submit() == "submitted"
    assert env.submit() == "the episode has ended"
    assert env.get_reward() == 1.0
    env.reset(**row)
    assert env.get_reward() == 0.0


def test_rows_of_a_group_share_their_name():
    """The same row begins the same episode."""
    row = dataset_rows(make_tasks("train"), seed=4)[3]
    one, two = TRLBugFix(), TRLBugFix()
    assert one.reset(**row) == two.reset(**row)


def gymnasium_passes_its_checker():
    """`check_env` finds no fault, and a scripted episode earns its reward."""
    from gymnasium.utils.env_checker import check_env

    from tinyagent.adapters.gymnasium_env import ACTIONS, GymnasiumBugFix

    env = GymnasiumBugFix()
    check_env(env, skip_render_check=True)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        assert env.observation_space.contains(observation)
        (task,) = (task for task in make_tasks("train") if task.id == info["task"])
        env.step(ACTIONS.index(f"edit {task.repair}"))
        assert env.step(ACTIONS.index("submit"))[1:4] == (1.0, True, False)


def openenv_serves_an_episode():
    """Over HTTP's own test client: reset, edit, submit, reward."""
    from tinyagent.adapters.openenv_env import BugFixAction, OpenEnvBugFix

    env = OpenEnvBugFix()
    assert env.reset(seed=1, task="zero/speed").text.startswith("fix ")
    assert env.step(BugFixAction(text="edit add_zero_guard")).text == "edited\n"
    last = env.step(BugFixAction(text="submit"))
    assert (last.reward, last.done, last.truncated) == (1.0, True, False)
    assert env.state.edits == ["add_zero_guard"]


def verifiers_loads_its_taskset():
    """Every task of the split comes with its prompt."""
    from tinyagent.adapters.verifiers_env import BugFixTaskset, BugFixTasksetConfig

    tasks = list(BugFixTaskset(BugFixTasksetConfig(id="bugfix", split="held-out")))
    assert [task.data.task_id for task in tasks] == [task.id for task in make_tasks("held-out")]
    assert all(task.data.prompt.startswith("fix ") for task in tasks)


FOREIGN = [
    ("gymnasium", gymnasium_passes_its_checker),
    ("openenv", openenv_serves_an_episode),
    ("verifiers", verifiers_loads_its_taskset),
]


@pytest.mark.parametrize("check", [check for package, check in FOREIGN if importlib.util.find_spec(package)])
def test_foreign(check):
    """Each adapter does with its real package what that package asks of an environment."""
    check()
