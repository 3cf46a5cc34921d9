"""Train TinyAgent over seeds, and with each family held out in turn; print the tables of docs/tinyagent.md.

    python benchmarks/tinyagent_seeds.py seeds 0 1 2 … --out results.jsonl
    python benchmarks/tinyagent_seeds.py families 0 1 --out results.jsonl
    python benchmarks/tinyagent_seeds.py table --out results.jsonl

Weights come from the chapter's cache (`--cache`) and are trained, two seeds at a time, where it does not hold them:
half a minute of CPU each. A line a run in the results, so that an interrupted sweep goes on where it ended. The table
is by far the quickest and is what `make bench` prints, from the results that lie beside. What training costs is
measured by tinyagent_speed.py.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from passband.stats import pass_rate_interval
from passband.stats.seeds import seed_variance
from tinyagent import make_tasks, weights_digest
from tinyagent.chapter import Lab
from tinyagent.gym import FAMILY_NAMES

N = 32
STEPS = 80
LOOKS = (0, 30, STEPS)


def run(lab, seed, without=None):
    """One training run: counts of two independent evaluations at steps 0, 30 and 80."""
    tail = f"-without:{without}" if without else ""
    splits = {"held_out": f"held-out{tail}", "train": f"train{tail}"}
    if without:
        splits["family"] = f"family:{without}"
    found = {"seed": seed, "without": without, "counts": {}}
    # Evaluations share their episodes' seeds with no other one: the spread between them is to be seen.
    first = 1000 * (seed + 1)
    for step in LOOKS:
        agent = lab.agent(seed, step, split=splits["train"])
        found["counts"][step] = {
            name: [lab.counts(agent, make_tasks(split), n=N, seed=first + again).tolist() for again in (0, 1)]
            for name, split in splits.items()
        }
    return found | {"digest": weights_digest(agent.model)}


def rate(repeats):
    """Pass rate over both evaluations, and its interval for tasks like these."""
    counts = np.sum(repeats, axis=0)
    found = pass_rate_interval(counts, 2 * N)
    return f"{found.value:.3f} [{found.low:.2f}, {found.high:.2f}]"


def table(results):
    """Print what the runs gave."""
    seeds = [found for found in results if not found["without"]]
    print("seed  base   step 30  step 80                train")
    for found in seeds:
        at = found["counts"]
        print(
            f"{found['seed']:4}  {np.mean(at['0']['held_out']) / N:.3f}  {np.mean(at['30']['held_out']) / N:.3f}    "
            f"{rate(at['80']['held_out'])}     {np.mean(at['80']['train']) / N:.3f}"
        )
    for step in ("30", "80"):
        counts = np.moveaxis(np.array([found["counts"][step]["held_out"] for found in seeds]), 1, 2)
        said = seed_variance(counts, N)
        print(
            f"step {step}: mean {said.mean.value:.3f} [{said.mean.low:.3f}, {said.mean.high:.3f}], "
            f"lowest {said.seed_means.min():.3f}, training sd {said.training_sd:.3f} "
            f"[{said.training_sd_low:.3f}, {said.training_sd_high:.3f}], evaluation sd {said.evaluation_sd:.3f}"
        )
    names = [task.id for task in make_tasks("held-out")]
    means = np.mean([found["counts"]["80"]["held_out"] for found in seeds], axis=(0, 1)) / N
    print("step 80 by task:", "  ".join(f"{name} {mean:.2f}" for name, mean in zip(names, means, strict=True)))
    print("family held out  seed  base on it  step 80 on it  other variants at step 80")
    for found in results:
        if found["without"]:
            at = found["counts"]
            print(
                f"{found['without']:15}  {found['seed']:4}  {np.mean(at['0']['family']) / N:.3f}       "
                f"{np.mean(at['80']['family']) / N:.3f}          {rate(at['80']['held_out'])}"
            )


def main():
    """Run what the command line asks for and append it to the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["seeds", "families", "table"], nargs="?", default="table")
    parser.add_argument("seeds", type=int, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".jsonl"))
    parser.add_argument("--cache", type=Path, help="folder of snapshots; that of `tinyagent chapter` by default")
    chosen = parser.parse_args()
    lines = chosen.out.read_text().splitlines() if chosen.out.exists() else []
    results = [json.loads(line) for line in lines]
    done = {(found["seed"], found["without"]) for found in results}
    lab = Lab(cache=chosen.cache)
    for without in FAMILY_NAMES if chosen.what == "families" else [None]:
        lab.train(chosen.seeds, split=f"train-without:{without}" if without else "train")
    for seed in chosen.seeds:
        for without in FAMILY_NAMES if chosen.what == "families" else [None]:
            if (seed, without) not in done:
                with chosen.out.open("a") as file:
                    file.write(json.dumps(run(lab, seed, without)) + "\n")
    if chosen.what == "table":
        table(results)


if __name__ == "__main__":
    main()
