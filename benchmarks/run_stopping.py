"""What stopping early saves, and whether its error rate holds: the tables of docs/how-to/stop-early.md.

The bounds are those of `passband.cli.stopping.round_bounds` in closed form; a test holds the two together.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import optimize, special

TASKS, RUNS, ROUNDS = 30, 200, 64
MARGIN = 0.02


@cache
def bounds(passed: int, drawn: int, level: float) -> tuple[float, float]:
    """Rates at which the mixture reaches 1 / (1 - level)."""
    failed = drawn - passed
    mixture = special.betaln(passed + 0.5, failed + 0.5) - special.betaln(0.5, 0.5) + math.log(1 - level)

    def excess(rate: float) -> float:
        return float(mixture - special.xlogy(passed, rate) - special.xlog1py(failed, -rate))

    rate = passed / drawn
    low = optimize.brentq(excess, 1e-300, rate) if passed else 0.0
    high = optimize.brentq(excess, rate, 1 - 1e-16) if failed else 1.0
    return low, high


def widths(rng: np.random.Generator) -> None:
    """Draw until the interval is narrow, over tasks of several spreads."""
    for width in (0.1, 0.05):
        fixed = math.ceil(1.959964**2 / width**2)
        for name, spread in {"0.5": (50, 50), "0.5, apart": (0.5, 0.5), "0.1": (1, 9), "0.02": (1, 49)}.items():
            used, ever = [], 0
            for _ in range(RUNS):
                rates = rng.beta(*spread, TASKS)
                passed = drawn = missed = 0
                low, high = 0.0, 1.0
                while high - low > width:
                    passed += int(rng.binomial(1, rates).sum())
                    drawn += TASKS
                    low, high = bounds(passed, drawn, 0.95)
                    missed |= not low <= rates.mean() <= high
                used.append(drawn)
                ever += missed
            print(
                f"width {width}, rate {name}: {np.mean(used):.0f} samples, fixed {fixed}; ever missed {ever / RUNS:.3f}"
            )


def decisions(rng: np.random.Generator) -> None:
    """Draw until the comparison with a complete baseline is decided."""
    for difference in (-0.4, -0.2, -0.1, -0.05, 0.0, 0.1, 0.2):
        used, decided, wrong = [], 0, 0
        for _ in range(RUNS):
            base = rng.beta(6, 4, TASKS)
            rates = np.clip(base + difference, 0, 1)
            worse = rates.mean() - base.mean() < -MARGIN
            base_low, base_high = bounds(int(rng.binomial(ROUNDS, base).sum()), ROUNDS * TASKS, 0.975)
            passed = drawn = 0
            for _ in range(ROUNDS):
                passed += int(rng.binomial(1, rates).sum())
                drawn += TASKS
                low, high = bounds(passed, drawn, 0.975)
                if low - base_high > -MARGIN or high - base_low < -MARGIN:
                    decided += 1
                    wrong += (low - base_high > -MARGIN) == worse
                    break
            used.append(drawn)
        share = np.mean(used) / (ROUNDS * TASKS)
        print(f"difference {difference:+}: decided {decided / RUNS:.2f}, share {share:.2f}, wrong {wrong / RUNS:.3f}")


if __name__ == "__main__":
    widths(np.random.default_rng(11))
    decisions(np.random.default_rng(12))
