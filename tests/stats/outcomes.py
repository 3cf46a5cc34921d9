"""Real outcomes beside the checkout, where they are, and their published numbers."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "outcomes"


def counts(name: str) -> dict[tuple[str, str], dict[str, tuple[int, int]]]:
    """(benchmark, system) → task → (c, n); empty where the file is not there."""
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    path = FOLDER / name
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["benchmark"], row["system"]][row["task_id"]] = (int(row["c"]), int(row["n"]))
    return dict(found)


def arrays(tasks: dict[str, tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Successes and samples in task order."""
    c, n = zip(*(tasks[task] for task in sorted(tasks)), strict=True)
    return np.array(c), np.array(n)


def shared(a: dict, b: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Counts of two systems on the tasks both hold."""
    both = sorted(a.keys() & b.keys())
    (ca, na), (cb, nb) = (np.array([side[task] for task in both]).T for side in (a, b))
    return ca, na, cb, nb
