"""What stopping early saves, and whether its error rate holds: the tables of docs/how-to/stop-early.md."""

from __future__ import annotations

import math

import numpy as np

from passband.stats import StratifiedSequence

TASKS, RUNS = 30, 100
ROUNDS, MARGIN, DIFFERENCES = 64, 0.02, (0.02, 0.06, 0.2)  # as in passband.cli.stopping
SPREADS = {
    "0.5, tasks alike": (50, 50),
    "0.5, tasks apart": (1, 1),
    "0.5, most tasks certain": (0.1, 0.1),
    "0.1": (1, 9),
    "0.02": (1, 49),
}


def add(rng: np.random.Generator, rates: np.ndarray, bounds: StratifiedSequence, *, even: bool) -> int:
    """Draw one round; return its samples."""
    samples = np.ones(len(rates), dtype=np.int64) if even else bounds.next_round()
    passed = rng.binomial(samples, rates)
    bounds.add(passed, samples - passed, np.zeros(len(rates), dtype=np.int64))
    return int(samples.sum())


def widths(rng: np.random.Generator) -> None:
    """Draw until the interval is narrow, over tasks of several spreads."""
    for width, spreads in {0.1: SPREADS, 0.05: SPREADS, 0.025: dict(list(SPREADS.items())[1:3])}.items():
        fixed = math.ceil(1.959964**2 / width**2)
        for name, spread in spreads.items():
            found = {}
            for even in (True, False):
                used, ever = [], 0
                for _ in range(RUNS):
                    rates = rng.beta(*spread, TASKS)
                    bounds = StratifiedSequence(TASKS, half_widths=width / 2)
                    drawn, missed = 0, False
                    while bounds.high - bounds.low > width:
                        drawn += add(rng, rates, bounds, even=even)
                        missed |= not bounds.low <= rates.mean() <= bounds.high
                    used.append(drawn)
                    ever += missed
                found[even] = f"{np.mean(used):,.0f} (ever missed {ever / RUNS:.2f})"
            print(
                f"width {width}, rate {name}: even rounds {found[True]}, Neyman {found[False]}; fixed {fixed}",
                flush=True,
            )


def decisions(rng: np.random.Generator) -> None:
    """Draw until the comparison with a complete baseline is decided."""
    for difference in (-0.4, -0.2, -0.1, -0.05, 0.0, 0.1, 0.2):
        used, decided, wrong = [], 0, 0
        for _ in range(RUNS):
            base = rng.beta(6, 4, TASKS)
            rates = np.clip(base + difference, 0, 1)
            worse = rates.mean() - base.mean() < -MARGIN
            before = StratifiedSequence(TASKS, level=0.975, half_widths=DIFFERENCES)
            for _ in range(ROUNDS):
                add(rng, base, before, even=True)
            bounds = StratifiedSequence(TASKS, level=0.975, half_widths=DIFFERENCES)
            drawn, most = 0, np.zeros(TASKS, dtype=np.int64)
            while (most := most + bounds.next_round()).max() <= ROUNDS:
                drawn += add(rng, rates, bounds, even=False)
                if bounds.low - before.high > -MARGIN or bounds.high - before.low < -MARGIN:
                    decided += 1
                    wrong += (bounds.low - before.high > -MARGIN) == worse
                    used.append(drawn)
                    break
            else:
                used.append(ROUNDS * TASKS)
        share = np.mean(used) / (ROUNDS * TASKS)
        print(f"difference {difference:+}: decided {decided / RUNS:.2f}, share {share:.2f}, wrong {wrong}", flush=True)


if __name__ == "__main__":
    decisions(np.random.default_rng(12))
    widths(np.random.default_rng(11))
