"""The rules of an episode."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.errors import InvalidInputError, UsageError
from tinyagent.gym import (
    OPERATORS,
    PLAIN_HARNESS,
    BugFixEnv,
    GymHarness,
    function_names,
    make_tasks,
    outcome,
    source_of,
    words,
)
from tinyagent.gym.randomness import uniform, uniforms

TASKS = {task.id: task for task in make_tasks()}
SPEED = TASKS["zero/speed"]
OWN_NAME = GymHarness(randomize_names=False)


def play(actions, harness=OWN_NAME, task=SPEED):
    """Observations of some actions, and the environment after them."""
    env = BugFixEnv(task, harness)
    env.reset()
    return [env.step(action)[0] for action in actions], env


ANSWERS = [
    (["read"], ["def speed(x, y):\n    return x * 60 // y\n"]),
    (["test"], ["passed 1 of 2\n"]),
    (["edit add_zero_guard", "test"], ["edited\n", "passed 2 of 2\n"]),
    (["edit flip_sign", "edit add_zero_guard", "test"], ["edited\n", "refused\n", "passed 1 of 2\n"]),
    (["edit add_zero_guard", "read"], ["edited\n", source_of(SPEED, ("add_zero_guard",), "speed") + "\n"]),
    (["  read "], ["def speed(x, y):\n    return x * 60 // y\n"]),
    (["edit"], ["error\n"]),
    (["edit nothing"], ["error\n"]),
    (["edit add_zero_guard now"], ["error\n"]),
    (["add_zero_guard"], ["error\n"]),
    (["READ"], ["error\n"]),
    ([""], ["error\n"]),
    (["submit now"], ["error\n"]),
    (["submit"], [""]),
]


@pytest.mark.parametrize(("actions", "observations"), ANSWERS)
def test_answers(actions, observations):
    """Every action has its answer; what is no action is an error, and the episode goes on."""
    assert play(actions)[0] == observations


ENDS = [
    # actions, (reward, terminated, truncated) of the last step, hidden or public reward
    (["edit add_zero_guard", "submit"], (1.0, True, False), "hidden"),
    (["edit special_case", "submit"], (0.0, True, False), "hidden"),
    (["edit special_case", "submit"], (1.0, True, False), "public"),
    (["submit"], (0.0, True, False), "hidden"),
    (["edit add_zero_guard", *["test"] * 5], (0.0, False, True), "hidden"),
    (["edit add_zero_guard", *["test"] * 4, "submit"], (1.0, True, False), "hidden"),
    (["edit add_zero_guard"], (0.0, False, False), "hidden"),
]


@pytest.mark.parametrize(("actions", "end", "reward"), ENDS)
def test_ends(actions, end, reward):
    """Reward comes at the end, only to who submitted, by the tests that the harness names."""
    env = BugFixEnv(SPEED, GymHarness(randomize_names=False, reward=reward))
    env.reset()
    for action in actions:
        step = env.step(action)
    assert step[1:4] == end
    assert step[4]["success"] == (env.submitted and outcome(SPEED, env.edits).solved)


def test_no_edit_limit_in_the_plain_environment():
    """Three stacked repairs solve the task where edits are free."""
    actions = ["edit fix_comparison", "edit add_zero_guard", "edit extend_range", "submit"]
    observations, env = play(actions, PLAIN_HARNESS)
    assert observations == ["edited\n"] * 3 + [""]
    assert env.success


def test_context_budget():
    """An episode ends, unsubmitted, where an action of two words would no longer fit."""
    prompt, source = len(words("fix speed\n")), len(words(SPEED.source + "\n"))
    exact = prompt + 1 + source + 2
    for budget, truncated in ((exact, False), (exact - 1, True)):
        _, env = play(["read"], GymHarness(randomize_names=False, max_context=budget))
        assert (env.truncated, env.terminated, env.reward) == (truncated, False, 0.0)


def test_single_use():
    """An episode begins once and ends once; going on is the caller's mistake."""
    env = BugFixEnv(SPEED)
    with pytest.raises(UsageError, match="reset comes first"):
        env.step("read")
    env.reset()
    with pytest.raises(UsageError, match="used once"):
        env.reset()
    env.step("submit")
    with pytest.raises(UsageError, match="has ended"):
        env.step("read")


def test_fork_parts():
    """A copy goes its own way."""
    _, env = play(["read"])
    other = env.fork()
    other.step("edit add_zero_guard")
    assert (env.edits, other.edits) == ((), ("add_zero_guard",))
    assert len(env.transcript) == 1


def test_harness_is_hashable_and_checked():
    """Equal harnesses are one key; budgets without room are refused."""
    assert len({GymHarness(), GymHarness(), PLAIN_HARNESS}) == 2
    for wrong in ({"max_turns": 0}, {"max_edits": -1}, {"max_context": 3}, {"temperature": -1.0}):
        with pytest.raises(InvalidInputError):
            GymHarness(**wrong)


@pytest.mark.parametrize(("pool", "size"), [("all", 29), ("train", 20), ("held-out", 9)])
def test_names_are_drawn_from_the_pool(pool, size):
    """Renaming uses every name of the pool but the task's own, about equally often, in prompt and source alike."""
    harness = GymHarness(name_pool=pool)
    drawn = [BugFixEnv(SPEED, harness, key).name for key in range(100 * size)]
    found, times = np.unique(drawn, return_counts=True)
    assert set(found) == set(function_names(pool)) - {"speed"}
    # chi² with size − 1 degrees of freedom: mean size − 1, standard deviation √(2 (size − 1))
    assert abs(((times - 100) ** 2 / 100).sum() - (size - 1)) < 5 * np.sqrt(2 * (size - 1))
    env = BugFixEnv(SPEED, harness, 5)
    assert env.reset() == f"fix {env.name}\n"
    assert env.step("read")[0].startswith(f"def {env.name}(x, y):")


def test_a_third_of_training_episodes_carry_a_held_out_name():
    """Ten of the 29 other names: the leak the audit of the experiments finds."""
    held_out = set(function_names("held-out"))
    train = make_tasks("train")
    names = [BugFixEnv(train[key % 20], GymHarness(), key).name for key in range(10_000)]
    share = np.mean([name in held_out for name in names])
    assert abs(share - 10 / 29) < 4 * np.sqrt(10 / 29 * 19 / 29 / len(names))


TEXT = st.one_of(
    st.sampled_from(["read", "test", "submit", *(f"edit {operator}" for operator in OPERATORS)]),
    st.text(max_size=40),
)


@given(
    st.sampled_from(sorted(TASKS)),
    st.lists(TEXT, max_size=12),
    st.builds(
        GymHarness,
        max_turns=st.integers(1, 8),
        max_edits=st.one_of(st.none(), st.integers(0, 3)),
        max_context=st.integers(20, 200),
        randomize_names=st.booleans(),
        reward=st.sampled_from(["hidden", "public"]),
    ),
    st.integers(0, 2**53 - 1),
)
def test_any_text_keeps_the_rules(task_id, actions, harness, key):
    """Whatever is said: no exception, budgets hold, and reward, ends and success agree with the hidden tests."""
    env = BugFixEnv(TASKS[task_id], harness, key)
    env.reset()
    for turn, action in enumerate(actions, 1):
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation.endswith("\n") != terminated
        assert not (terminated and truncated)
        assert info["turns"] == turn <= harness.max_turns
        assert harness.max_edits is None or len(env.edits) <= harness.max_edits
        assert info["success"] == (terminated and outcome(env.task, env.edits).solved)
        assert reward in {0.0, 1.0}
        assert terminated or reward == 0.0
        if terminated or truncated:
            break
    again = BugFixEnv(TASKS[task_id], harness, key)
    again.reset()
    assert [again.step(action)[0] for action, _ in env.transcript] == [answer for _, answer in env.transcript]


def test_random_numbers_are_uniform_and_independent_of_company():
    """Mean, variance and neighbouring correlation of 40,000 numbers, and one alone equals itself among many."""
    keys, counters = np.meshgrid(np.arange(200, dtype=np.uint64), np.arange(200, dtype=np.uint64))
    drawn = uniforms(keys, counters)
    assert drawn[7, 3] == uniform(3, 7)
    assert abs(drawn.mean() - 1 / 2) < 4 * np.sqrt(1 / 12 / drawn.size)
    assert abs(drawn.var() - 1 / 12) < 4 * np.sqrt(1 / 180 / drawn.size)
    for other in (np.roll(drawn, 1, axis=0), np.roll(drawn, 1, axis=1)):
        assert abs(np.corrcoef(drawn.ravel(), other.ravel())[0, 1]) < 4 / np.sqrt(drawn.size)
