"""What a training run says of itself: JSONL for programs, TensorBoard events for eyes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from tinyagent.train import StepMetrics

__all__ = ["MetricsWriter"]

_SCALARS = ("reward", "success", "kl", "grad_norm", "nodes", "cpu_s")


class MetricsWriter:
    """Writes ``metrics.jsonl``, one line a step with the names of :class:`~tinyagent.train.StepMetrics`, and events.

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
