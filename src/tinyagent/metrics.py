"""What a training run says of itself: JSONL for programs, TensorBoard events for eyes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tinyagent.gym import FAMILY_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from passband.stats import Estimate
    from tinyagent.rollouts import Rollouts

__all__ = ["MetricsWriter", "StepMetrics", "family_success", "first_edit_entropy"]


@dataclass(frozen=True)
class StepMetrics:
    """What one step did. The mean hides families that are lost, hence the two dictionaries."""

    step: int
    """Counted from 1."""
    reward: float
    """Mean over the step's episodes, before the update."""
    success: float
    family_success: dict[str, float]
    """Family → share of its episodes that succeeded."""
    first_edit_entropy: dict[str, float]
    """Family → entropy, in nats, of the first edit over all its episodes; 0 where they agree."""
    nodes: int
    """Distinct words, each in its context, that the step's episodes consist of."""
    kl: float
    grad_norm: float
    cpu_s: float
    held_out: Estimate | None = None
    """Pass rate on the held-out tasks, where the step looked."""


def _by_family(rollouts: Rollouts) -> Iterator[tuple[str, list[int]]]:
    family = np.array([env.task.family for env in rollouts.envs])[rollouts.row]
    for name in FAMILY_NAMES:
        places = np.flatnonzero(family == name)
        if len(places):
            yield name, places.tolist()


def family_success(rollouts: Rollouts) -> Iterator[tuple[str, float]]:
    """Yield each family with the share of its episodes that succeeded."""
    for family, places in _by_family(rollouts):
        yield family, float(rollouts.success[places].mean())


def first_edit_entropy(rollouts: Rollouts) -> Iterator[tuple[str, float]]:
    """Yield each family with the entropy, in nats, of the first edit over its episodes."""
    for family, places in _by_family(rollouts):
        edits = [env.edits[0] for env in map(rollouts.episode, places) if env.edits]
        _, times = np.unique(edits, return_counts=True)
        share = times / max(len(edits), 1)
        yield family, float(-(share * np.log(share)).sum()) + 0.0


_SCALARS = ("reward", "success", "kl", "grad_norm", "nodes", "cpu_s")


class MetricsWriter:
    """Writes ``metrics.jsonl``, one line a step with the names of :class:`StepMetrics`, and events.

    Parameters
    ----------
    folder : Path
        Of the run.
    after : int
        Steps that stand. Lines of later ones, which an interrupted run wrote and no checkpoint holds, are dropped.
    """

    def __init__(self, folder: Path, after: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter

        path = folder / "metrics.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        path.write_text("".join(f"{line}\n" for line in lines if json.loads(line)["step"] <= after))
        self._file = path.open("a")
        self._events = SummaryWriter(str(folder), purge_step=after + 1)

    def write(self, metrics: StepMetrics) -> None:
        """Add a step."""
        self._file.write(json.dumps(asdict(metrics)) + "\n")
        self._file.flush()
        values = {name: getattr(metrics, name) for name in _SCALARS}
        values |= {f"family_success/{name}": value for name, value in metrics.family_success.items()}
        values |= {f"first_edit_entropy/{name}": value for name, value in metrics.first_edit_entropy.items()}
        if metrics.held_out is not None:
            values["held_out/pass_at_1"] = metrics.held_out.value
            values["held_out/low"], values["held_out/high"] = metrics.held_out.low, metrics.held_out.high
        for name, value in values.items():
            self._events.add_scalar(name, value, metrics.step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._events.close()
