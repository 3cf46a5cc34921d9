"""Checkpoints: weights as safetensors, everything else that is needed to use them in the file's header."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.errors import DataError, UnknownNameError
from tinyagent.agent import Agent
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness
from tinyagent.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tinyagent.model import Model

__all__ = [
    "Checkpoint",
    "checkpoint_name",
    "find_checkpoint",
    "load_checkpoint",
    "save_checkpoint",
    "shipped",
    "weights_digest",
]

_FORMAT = "tinyagent-checkpoint-2"
_OPTIMIZER = "optimizer."


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds."""

    agent: Agent
    cfg: RLConfig
    """Of the training, and so of every evaluation that does not say otherwise."""
    step: int
    """Updates of training behind it; 0 for the base agent."""
    optimizer: dict[str, Tensor]
    """Moments of the optimizer; empty in a file that is for use only."""
    tasks: tuple[str, ...]
    """Ids of the tasks it was trained on; empty where nobody said."""


def save_checkpoint(
    path: Path,
    agent: Agent,
    cfg: RLConfig,
    step: int,
    optimizer: dict[str, Tensor] | None = None,
    *,
    tasks: Sequence[str] = (),
) -> None:
    """Write a checkpoint in one go: a crash leaves the old file or the new one."""
    from safetensors.torch import save_file

    header = {
        "format": _FORMAT,
        "vocabulary": json.dumps(agent.tokenizer.vocabulary),
        "cfg": json.dumps(asdict(cfg)),
        "step": str(step),
        "tasks": json.dumps(list(tasks)),
    }
    tensors = {name: weight.detach().cpu().contiguous() for name, weight in agent.model.state_dict().items()}
    tensors |= {_OPTIMIZER + name: moment.cpu().contiguous() for name, moment in (optimizer or {}).items()}
    part = path.with_name(path.name + ".part")
    save_file(tensors, part, metadata=header)
    part.replace(path)


def load_checkpoint(path: Path, *, device: str = "cpu") -> Checkpoint:
    """Read a checkpoint.

    Raises
    ------
    DataError
        Where the file is none.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (OSError, SafetensorError) as error:
        raise DataError(f"cannot be read as a checkpoint: {error}", where=str(path)) from None
    if header.get("format") != _FORMAT:
        raise DataError("is not a TinyAgent checkpoint", where=str(path))
    agent = Agent(Tokenizer(json.loads(header["vocabulary"])), device=device)
    moments = {name.removeprefix(_OPTIMIZER): t for name, t in tensors.items() if name.startswith(_OPTIMIZER)}
    agent.model.load_state_dict({name: t for name, t in tensors.items() if not name.startswith(_OPTIMIZER)})
    tasks = tuple(json.loads(header["tasks"]))
    return Checkpoint(agent, _config(json.loads(header["cfg"])), int(header["step"]), moments, tasks)


def _config(fields: dict[str, Any]) -> RLConfig:
    fields["harness"] = GymHarness(**fields["harness"])
    fields["betas"] = tuple(fields["betas"])
    return RLConfig(**fields)


def weights_digest(model: Model) -> str:
    """SHA-256 over names and bytes of all weights: equal digests are equal agents."""
    digest = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        digest.update(name.encode() + b"\0" + weight.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def checkpoint_name(step: int) -> str:
    """File name of the checkpoint after `step` updates."""
    return f"step-{step:04d}.safetensors"


def shipped() -> dict[str, Path]:
    """Checkpoints that come with the package, by name: ``base`` and ``step-N`` of one training run."""
    folder = Path(str(files("tinyagent") / "checkpoints"))
    found = {f"step-{int(path.stem.partition('-')[2])}": path for path in sorted(folder.glob("step-*.safetensors"))}
    return {("base" if name == "step-0" else name): path for name, path in found.items()}


def find_checkpoint(name: str, step: int | None = None) -> Path:
    """Find the file that a user names.

    Parameters
    ----------
    name : str
        A file; a folder that ``tinyagent train`` wrote; or one of `shipped`.
    step : int, optional
        Which checkpoint of a folder; the last by default.

    Raises
    ------
    UnknownNameError
        Where there is no such checkpoint.
    """
    path = Path(name)
    if path.is_dir():
        steps = {int(found.stem.partition("-")[2]): found for found in path.glob("step-*.safetensors")}
        wanted = step if step is not None else max(steps, default=0)
        if wanted not in steps:
            raise UnknownNameError("checkpoint", f"step {wanted}", (f"step {known}" for known in steps), where=name)
        return steps[wanted]
    if path.is_file() or name in shipped():
        if step is not None:
            raise UnknownNameError(
                "checkpoint", f"step {step}", (), where=f"{name}, which is one checkpoint and has no steps"
            )
        return path if path.is_file() else shipped()[name]
    raise UnknownNameError("checkpoint", name, shipped(), where="neither a file nor a folder")
