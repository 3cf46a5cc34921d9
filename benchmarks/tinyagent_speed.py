"""Where a TinyAgent step spends its CPU, how fast it evaluates, and TRL's GRPOTrainer beside it.

    python benchmarks/tinyagent_speed.py                 rollouts, updates, evaluation; TRL where it is installed
    python benchmarks/tinyagent_speed.py --device cuda   rollouts per second by batch size, on a GPU

CPU seconds of this process on one thread. The comparison gives TRL a network of the same size, the same number of rows
(20 prompts × 16) and of passes over them (6), and less to do: one turn, a completion of five words.
"""

import argparse
import importlib.util
import os
import tempfile
import time

import numpy as np
import torch

from tinyagent import RLConfig, base_agent, load_checkpoint, make_tasks, sample_groups
from tinyagent.checkpoint import shipped
from tinyagent.grpo import group_advantages, make_surrogate, update
from tinyagent.gym import BugFixEnv, GymHarness
from tinyagent.train import Trainer

CFG = RLConfig()
TRAIN, HELD_OUT = make_tasks("train"), make_tasks("held-out")


def timed(function, *arguments, **named):
    """CPU seconds of a call, and what it returned."""
    begun = time.process_time()
    found = function(*arguments, **named)
    return time.process_time() - begun, found


def phases(name, steps=5):
    """Mean CPU seconds of rollout, packing and update over some steps that begin at a shipped checkpoint."""
    agent = load_checkpoint(shipped()[name]).agent
    optimizer = torch.optim.AdamW(agent.model.parameters(), lr=CFG.learning_rate, betas=CFG.betas, fused=True)
    spent = np.zeros(3)
    nodes = words = 0
    for step in range(steps):
        rolling, rollouts = timed(sample_groups, agent, TRAIN, CFG, seed=step, one_name=True)
        advantages = group_advantages(rollouts.reward, CFG.group_size, normalize_std=True)
        packing, surrogate = timed(make_surrogate, rollouts, advantages, everything=False, device=agent.device)
        updating = timed(update, agent.model, optimizer, surrogate, CFG)[0] if surrogate else 0.0
        spent += np.array([rolling, packing, updating])
        nodes += len(rollouts.tree)
        words += int((rollouts.tree.position[rollouts.tree.ends] + 1).sum())
    return spent / steps, nodes / steps, words / steps


def trl_step(iterations=6, generations=3):
    """CPU seconds of one generation of 320 completions and six updates on them, by TRL."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    vocabulary = load_checkpoint(shipped()["base"]).agent.tokenizer.vocabulary
    numbers = {word: number for number, word in enumerate((*vocabulary, "<pad>", "<eos>"))}
    raw = Tokenizer(models.WordLevel(numbers, unk_token="<unknown>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unknown>", pad_token="<pad>", eos_token="<eos>", padding_side="left"
    )
    shape = {"hidden_size": 64, "intermediate_size": 171, "num_hidden_layers": 3, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(numbers), max_position_embeddings=96, **shape))
    rows = []
    for task in TRAIN:
        env = BugFixEnv(task, GymHarness())
        text = env.reset() + env.step("read")[0]
        own = load_checkpoint(shipped()["base"]).agent.tokenizer
        rows.append({"prompt": own.decode(own.encode(text)), "repair": task.repair})

    def reward(completions, repair, **_):
        return [float(right in completion) for completion, right in zip(completions, repair, strict=True)]

    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            per_device_train_batch_size=20 * CFG.group_size,
            num_generations=CFG.group_size,
            num_iterations=iterations,
            steps_per_generation=1,
            gradient_accumulation_steps=1,
            max_completion_length=5,
            max_steps=iterations * generations,
            learning_rate=CFG.learning_rate,
            beta=0.0,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to=[],
            logging_steps=10_000,
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=reward,
            args=config,
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
        )
        spent, _ = timed(trainer.train)
    return spent / generations, sum(weight.numel() for weight in model.parameters())


def gpu_table(device):
    """Episodes per second by batch size."""
    agent = load_checkpoint(shipped()["base"], device=device).agent
    print(f"episodes at once   episodes/s on {device}")
    for each in (1, 4, 16, 64, 256, 1024):
        sample_groups(agent, HELD_OUT, CFG, n=each, seed=1)
        begun = time.perf_counter()
        sample_groups(agent, HELD_OUT, CFG, n=each, seed=2)
        print(f"{10 * each:16}   {10 * each / (time.perf_counter() - begun):12.0f}")


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    if chosen.device != "cpu":
        gpu_table(chosen.device)
        return
    print("from      rollout  packing  update  = CPU s a step   distinct words of words")
    for name in ("base", "step-20", "step-60"):
        (rolling, packing, updating), nodes, words = phases(name)
        seconds = f"{rolling:7.3f}  {packing:7.3f}  {updating:6.3f}  = {rolling + packing + updating:.3f}"
        print(f"{name:8}  {seconds}  {nodes:18.0f} of {words:.0f}")
    for name in ("base", "step-80"):
        agent = load_checkpoint(shipped()[name]).agent
        spent = min(timed(sample_groups, agent, HELD_OUT, CFG, n=64, seed=seed)[0] for seed in range(3))
        print(f"evaluation of {name}, 10 tasks × 64 episodes: {spent:.3f} CPU s")
    cloning, agent = timed(base_agent)
    print(f"base agent: {cloning:.1f} CPU s")
    trainer = Trainer(agent, TRAIN, CFG)
    own = [trainer.advance().cpu_s for _ in range(80)]
    print(f"80 steps from the base agent: {np.mean(own):.3f} CPU s a step, {max(own):.3f} the slowest")
    if importlib.util.find_spec("trl"):
        spent, weights = trl_step()
        times = spent / np.mean(own)
        print(f"TRL, {weights:,} weights, 320 rows, 6 passes: {spent:.2f} CPU s a step, {times:.0f} × the mean above")


if __name__ == "__main__":
    main()
