"""Training: it improves, it repeats itself to the bit, it goes on where it stopped."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from passband.errors import DataError, InvalidInputError, UnknownNameError
from tinyagent.checkpoint import find_checkpoint, load_checkpoint, save_checkpoint, weights_digest
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, make_tasks
from tinyagent.metrics import MetricsWriter, family_success, first_edit_entropy
from tinyagent.train import STATE, Trainer, train_rl, train_snapshots

TASKS = make_tasks("train")[::4]
QUICK = RLConfig(group_size=4, epochs=2, eval_every=2, eval_episodes=2)


def test_ten_steps_improve(base):
    """Ten steps on two tasks raise the reward well above its beginning."""
    history = train_rl(base(), (TASKS[0], TASKS[2]), RLConfig(), steps=10)
    rewards = [step.reward for step in history]
    assert np.mean(rewards[-3:]) > np.mean(rewards[:2]) + 0.3


def test_same_seed_same_weights(base):
    """Two runs of one seed end at equal bytes; another seed does not; looking at held-out tasks changes nothing."""
    digests = []
    for seed, held_out in ((0, ()), (0, make_tasks("held-out")[:2]), (1, ())):
        agent = base()
        cfg = RLConfig(group_size=4, epochs=2, eval_every=1, seed=seed)
        train_rl(agent, TASKS, cfg, steps=3, held_out=held_out)
        digests.append(weights_digest(agent.model))
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("kl", [0.0, 0.1])
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(base, tmp_path, kl):
    """Stopped after two of four steps and taken up from its files, a run ends at the same bytes, KL anchor included."""
    cfg = RLConfig(group_size=4, epochs=2, kl=kl, steps=4)
    whole = base()
    train_rl(whole, TASKS, cfg)
    train_rl(base(), TASKS, cfg, steps=2, folder=tmp_path)
    rest = base()
    assert [step.step for step in train_rl(rest, TASKS, cfg, folder=tmp_path)] == [3, 4]
    assert weights_digest(rest.model) == weights_digest(whole.model)
    assert weights_digest(load_checkpoint(find_checkpoint(str(tmp_path))).agent.model) == weights_digest(whole.model)


@pytest.mark.parametrize(
    ("changes", "tasks", "named"),
    [
        ({"seed": 1}, TASKS, "seed 0 where 1 is asked for"),
        ({"steps": 90}, TASKS, "steps 80 where 90 is asked for"),
        ({"kl": 0.1, "clip": 0.3}, TASKS, "clip 0.2 where 0.3 is asked for, kl 0.0 where 0.1 is asked for"),
        ({}, TASKS[1:], f"another split of tasks \\({TASKS[0].id} is in one of them"),
    ],
)
def test_another_run_does_not_go_on(base, tmp_path, changes, tasks, named):
    """A folder belongs to one configuration and one split; the error is one line that names what differs."""
    train_rl(base(), TASKS, QUICK, steps=1, folder=tmp_path)
    before = (tmp_path / STATE).read_bytes()
    with pytest.raises(DataError, match=named) as error:
        train_rl(base(), tasks, replace(QUICK, **changes), steps=2, folder=tmp_path)
    assert "\n" not in str(error.value)
    assert (tmp_path / STATE).read_bytes() == before


def test_the_learning_rate_falls(base):
    """Linearly over the declared steps, to the declared share, and no further; each update is made at its own."""
    cfg = replace(QUICK, learning_rate=1e-3, final_learning_rate=0.2, steps=4)
    rates = [cfg.learning_rate_at(step) for step in range(7)]
    assert rates == pytest.approx([1e-3, 8e-4, 6e-4, 4e-4, 2e-4, 2e-4, 2e-4])
    assert {replace(cfg, final_learning_rate=1.0).learning_rate_at(step) for step in range(7)} == {1e-3}
    trainer = Trainer(base(), TASKS, cfg)
    used = []
    for _ in range(3):
        trainer.advance()
        used.append(trainer.optimizer.param_groups[0]["lr"])
    assert used == rates[:3]


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"final_learning_rate": 0.0}, {"final_learning_rate": 1.1}])
def test_no_schedule(wrong):
    """Settings without a schedule are refused."""
    with pytest.raises(InvalidInputError, match="no schedule"):
        RLConfig(**wrong)


def test_snapshots(base):
    """One optimizer carried through equals an uninterrupted run; restarting it does not, and snapshots stay frozen."""
    start, whole = base(), base()
    train_rl(whole, TASKS, QUICK, steps=4)
    carried = train_snapshots(start, TASKS, QUICK, steps=4, every=2)
    restarted = train_snapshots(base(), TASKS, QUICK, steps=4, every=2, restart_adam=True)
    assert list(carried) == [0, 2, 4]
    assert weights_digest(carried[0].model) == weights_digest(base().model)
    assert weights_digest(carried[4].model) == weights_digest(whole.model)
    assert weights_digest(restarted[2].model) == weights_digest(carried[2].model)
    assert weights_digest(restarted[4].model) != weights_digest(carried[4].model)


def test_metrics(base, tmp_path):
    """Every step says what it did, family by family; held-out tasks are looked at when they should be."""
    history = train_rl(base(), TASKS, QUICK, steps=2, held_out=make_tasks("held-out"))
    first, second = history
    assert (first.step, second.step) == (1, 2)
    assert first.held_out is None
    assert second.held_out.low <= second.held_out.value <= second.held_out.high
    assert second.held_out.n_samples == 20
    assert set(first.family_success) == {"compare", "zero", "range", "init", "sign"}
    assert all(0.0 <= entropy <= np.log(6) + 1e-9 for entropy in first.first_edit_entropy.values())
    assert first.success == pytest.approx(np.mean(list(first.family_success.values())))
    with MetricsWriter(tmp_path) as writer:
        for step in history:
            writer.write(step)
    with MetricsWriter(tmp_path, after=1) as writer:
        writer.write(second)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 2]
    assert lines[1]["held_out"]["value"] == second.held_out.value
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert {event.step: event.value for event in events.Scalars("reward")} == pytest.approx(
        {1: first.reward, 2: second.reward}
    )
    assert len(events.Scalars("held_out/pass_at_1")) == 1


def test_entropy_by_hand(base):
    """First edits that agree have entropy 0; the plain mean is over episodes that edited."""
    from tinyagent.rollouts import sample_groups
    from tinyagent.scripted import HACKER

    rollouts = sample_groups(HACKER, make_tasks("held-out"), RLConfig(), n=2)
    assert dict(first_edit_entropy(rollouts)) == dict.fromkeys(("compare", "zero", "range", "init", "sign"), 0.0)
    assert set(dict(family_success(rollouts)).values()) == {0.0}


def test_checkpoints_hold_everything(base, tmp_path):
    """Weights, vocabulary, step and every field of the configuration come back."""
    agent = base()
    cfg = RLConfig(
        harness=GymHarness(max_edits=None, reward="public", temperature=0.7), betas=(0.8, 0.9), kl=0.5, seed=9
    )
    save_checkpoint(tmp_path / "a.safetensors", agent, cfg, 17, {"0.step": torch.tensor(3.0)}, tasks=("a", "b"))
    back = load_checkpoint(tmp_path / "a.safetensors")
    assert (back.cfg, back.step, back.tasks) == (cfg, 17, ("a", "b"))
    assert back.agent.tokenizer.vocabulary == agent.tokenizer.vocabulary
    assert weights_digest(back.agent.model) == weights_digest(agent.model)
    assert back.optimizer["0.step"].item() == 3.0
    assert list(tmp_path.iterdir()) == [tmp_path / "a.safetensors"]


def test_the_digest_sees_one_bit(base):
    """The smallest change of one weight is another digest."""
    agent = base()
    before = weights_digest(agent.model)
    with torch.no_grad():
        weight = agent.model.norm.weight
        weight[0] = torch.nextafter(weight[0], torch.tensor(9.0))
    assert weights_digest(agent.model) != before


def test_what_is_no_checkpoint(tmp_path):
    """A missing name, a folder without the step, and a file of something else are told apart."""
    with pytest.raises(UnknownNameError):
        find_checkpoint("nowhere")
    with pytest.raises(UnknownNameError, match="step 7"):
        find_checkpoint(str(tmp_path), 7)
    (tmp_path / "x.safetensors").write_bytes(b"no")
    with pytest.raises(DataError, match="cannot be read"):
        load_checkpoint(tmp_path / "x.safetensors")
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(1)}, tmp_path / "y.safetensors")
    with pytest.raises(DataError, match="is not a TinyAgent checkpoint"):
        load_checkpoint(tmp_path / "y.safetensors")


def test_a_trainer_saves_where_it_is_told(base, tmp_path):
    """The state is one file."""
    trainer = Trainer(base(), TASKS, QUICK)
    trainer.advance()
    trainer.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [STATE]
