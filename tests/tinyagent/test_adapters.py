"""The gym behind other interfaces. Those that need a package of their own are tried where it is installed."""

import asyncio
import importlib.util
from types import SimpleNamespace

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


def gymnasium_passes_its_checker(*_):
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


def openenv_serves_an_episode(*_):
    """Reset by seed and task, edit, submit, reward, and the state between turns."""
    from tinyagent.adapters.openenv_env import BugFixAction, OpenEnvBugFix

    env = OpenEnvBugFix()
    assert env.reset(seed=1, task="zero/speed").text.startswith("fix ")
    assert env.step(BugFixAction(text="edit add_zero_guard")).text == "edited\n"
    last = env.step(BugFixAction(text="submit"))
    assert (last.reward, last.done, last.truncated) == (1.0, True, False)
    assert env.state.edits == ["add_zero_guard"]


class Interaction:
    """What a verifiers agent does: answer every message, here by a script, and keep the reward."""

    def __init__(self, actions):
        self.actions = iter(actions)
        self.heard, self.rewards = [], {}
        self.trace = self

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_error):
        return None

    async def turn(self, message=None):
        self.heard.append(message)
        action = next(self.actions, None)
        return SimpleNamespace(terminated=action is None, last_reply=action)

    def record_reward(self, name, value, weight):
        self.rewards[name] = value * weight


def verifiers_plays_an_episode(tmp_path, monkeypatch):
    """The package finds taskset and environment by name; replies are actions, and the reward is the hidden tests'."""
    import verifiers.v1 as vf

    from tinyagent.adapters.verifiers_env import BugFixTasksetConfig, VerifiersBugFix

    name = "bugfix_for_verifiers"
    (tmp_path / f"{name}.py").write_text(
        "from tinyagent.adapters.verifiers_env import *\nfrom tinyagent.adapters.verifiers_env import __all__\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert vf.environment_class(name) is VerifiersBugFix
    tasks = list(vf.load_taskset(BugFixTasksetConfig(id=name, split="held-out")))
    assert [task.data.task_id for task in tasks] == [task.id for task in make_tasks("held-out")]
    for actions, reward in ((["read", " edit fix_comparison\n", "submit"], 1.0), (["submit"], 0.0), (["read"], 0.0)):
        interaction = Interaction(actions)
        agents = SimpleNamespace(agent=SimpleNamespace(interaction=lambda _task, it=interaction: it))
        asyncio.run(VerifiersBugFix.run(None, tasks[0], agents))
        assert interaction.rewards == {"hidden_tests": reward}
    assert interaction.heard[1].startswith("def ")


FOREIGN = [
    ("gymnasium", gymnasium_passes_its_checker),
    ("openenv", openenv_serves_an_episode),
    ("verifiers", verifiers_plays_an_episode),
]


@pytest.mark.parametrize("check", [check for package, check in FOREIGN if importlib.util.find_spec(package)])
def test_foreign(check, tmp_path, monkeypatch):
    """Each adapter does with its real package what that package asks of an environment."""
    check(tmp_path, monkeypatch)
