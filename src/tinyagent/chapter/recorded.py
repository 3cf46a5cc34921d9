"""Snapshots as runs in a store of Passband, for what compares runs."""

from __future__ import annotations

import csv
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passband.aggregate import read_counts
from passband.compare import compare_coverage, name_actions
from passband.grade import Grading
from passband.run import execute, make_header, open_store
from tinyagent.config import RLConfig
from tinyagent.subject import CheckpointSubject
from tinyagent.suite import gym_suite

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from passband.compare import Narrowing
    from passband.records import Sample, SampleTable
    from passband.run import BaseStore
    from tinyagent.chapter.lab import Lab

__all__ = ["Recorder", "narrowing_of_counts", "recorder"]


@dataclass(frozen=True)
class Recorder:
    """Runs snapshots on the held-out tasks, or finds the run in the store."""

    lab: Lab
    store: BaseStore
    grading: Grading

    def run(self, seed: int, step: int, *, n: int) -> str:
        """Run the snapshot of a training seed and return the run's id, as ``tinyagent eval --seed`` of the lab's."""
        subject = CheckpointSubject(f"tinyagent:seed-{seed}@{step}", self.lab.path(seed, step))
        suite = gym_suite("held-out", RLConfig().harness)
        header = make_header(suite, subject, self.grading, samples_per_case=n, seed=self.lab.seed, created_at=0.0)
        if not self.store.has_run(header.run_id):
            self.store.add_run(header)
        execute(header, suite, subject, self.grading, self.store, workers=1, on_progress=lambda _: None)
        return header.run_id

    def table(self, run_id: str) -> SampleTable:
        """Read a run's rows."""
        return self.store.table(run_id)

    def narrowing(self, baseline: str, candidate: str, pattern: re.Pattern[str]) -> Narrowing:
        """Do what ``passband compare BASELINE CANDIDATE --narrowing --action PATTERN`` does."""
        found = compare_coverage(self.table(baseline), self.table(candidate))
        cases = [entry.case.id for entry in found.lost]
        before, after = ({case: self._samples(run, case) for case in cases} for run in (baseline, candidate))
        return name_actions(found, before, after, pattern=pattern)

    def _samples(self, run_id: str, case: str) -> list[Sample]:
        ids = self.store.find(run_id).case_ids
        return [sample for _, sample in self.store.samples(run_id, ids.index(case))]


@contextmanager
def recorder(lab: Lab) -> Iterator[Recorder]:
    """Open the store in the lab's cache."""
    lab.cache.mkdir(parents=True, exist_ok=True)
    with Grading() as grading, open_store(str(lab.cache / "runs.db"), create=True) as store:
        yield Recorder(lab, store, grading)


def narrowing_of_counts(
    tasks: Sequence[str], baseline: NDArray[np.int64], candidate: NDArray[np.int64], n: int
) -> Narrowing:
    """Do what ``passband compare COUNTS.csv --narrowing`` does with two systems' counts of n episodes a task."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.csv"
        with path.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(("system", "task_id", "n", "c"))
            for system, counts in (("baseline", baseline), ("candidate", candidate)):
                out.writerows((system, task, n, c) for task, c in zip(tasks, counts.tolist(), strict=True))
        tables = read_counts(path)
    return compare_coverage(tables["baseline"], tables["candidate"])
