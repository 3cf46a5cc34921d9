"""The distributed executor: bounded work in flight on Ray actors, results streamed back to the one store.

Ray gives each task at least once: a node that dies costs its actors' work again, on another node. A sample is the same
whoever draws it and is written once, so that the result is that of a local run.
"""

from __future__ import annotations

import importlib
import os
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passband.errors import UsageError
from passband.run.retry import RetryPolicy
from passband.run.work import Drawer, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passband.records import Sample
    from passband.run.pool import Executor, Finished

__all__ = ["RayPool", "Recipe", "ray_executor"]

_CHUNK = 4  # samples a task: a task costs Ray a millisecond, a sandbox fifty
_STARTS = 3  # a busy machine may need another try
# Nobody is told anything, no dashboard is served, and its warnings about both are not the user's.
_OFFLINE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


@dataclass(frozen=True)
class Recipe:
    """What an actor needs to make a subject and a grader of its own.

    Attributes
    ----------
    run_seed : int
        The run's seed.
    subject : str
        Specification; what it names must be importable on every node.
    settings : mapping
        Of the subject.
    unsafe : bool
        As for the local run.
    retry : RetryPolicy
        What is tried again, and when.
    grading : str
        ``module:function`` that makes the grader from ``unsafe``.
    folder : str
        Where actors work, so that modules, templates and prices are found as by the local run; every node must have it.
    """

    run_seed: int
    subject: str
    settings: Mapping[str, str] = field(default_factory=dict)
    unsafe: bool = False
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    grading: str = "passband.grade:Grading"
    folder: str = ""


class _Actor:
    """One worker on one node."""

    def __init__(self, recipe: Recipe) -> None:
        from passband.subject import load_subject

        if recipe.folder:
            os.chdir(recipe.folder)
        module, _, name = recipe.grading.partition(":")
        grading = getattr(importlib.import_module(module), name)(unsafe=recipe.unsafe)
        subject = load_subject(recipe.subject, settings=recipe.settings, unsafe=recipe.unsafe)
        self._drawer = Drawer(recipe.run_seed, subject, grading, recipe.retry)

    def draw(self, works: Sequence[Work], *, batch: bool) -> list[Sample | Exception]:
        """Draw samples; what one raises is its result."""
        if not batch:
            return [_caught(self._drawer.draw, work) for work in works]
        return [_caught(self._drawer.finish, work, attempt) for work, attempt in self._drawer.ask(works)]


def _caught(function: Callable[..., Sample], *arguments: object) -> Sample | Exception:
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - handed to the driver, as the local pool does
        return error


def ray_executor(recipe: Recipe, address: str | None = None) -> Callable[[Drawer, int, int], Executor]:
    """Return what :func:`passband.run.execute` wants for its executor.

    Parameters
    ----------
    recipe : Recipe
        How actors make what they need.
    address : str, optional
        Of a running cluster, ``auto`` for the one on this machine; without it, one is started here and ends with the
        run.

    Raises
    ------
    UsageError
        Where the extra ``ray`` is not installed, or the cluster cannot be reached.
    """
    return lambda drawer, workers, batch: RayPool(recipe, drawer, workers, batch, address)


class RayPool:
    """Draws samples on the actors of a Ray cluster.

    Parameters
    ----------
    recipe : Recipe
        How actors make what they need.
    drawer : Drawer
        The local one; its subject is asked nothing.
    workers : int
        Actors, of one CPU each.
    batch : int
        How many samples a batch subject is asked for at once; 1 for any other.
    address : str, optional
        As for :func:`ray_executor`.
    """

    def __init__(self, recipe: Recipe, drawer: Drawer, workers: int, batch: int, address: str | None) -> None:
        del drawer
        self._ray = _start(address, workers)
        self._batched = batch > 1
        self.batch = batch if self._batched else _CHUNK
        self.capacity = 2 * workers * self.batch
        # Without bounds on restarts and retries: a node may die more than once, and writing is idempotent.
        make = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(_Actor)
        self._idle = deque(make.remote(recipe) for _ in range(workers))
        self._todo: deque[Sequence[Work]] = deque()
        self._running: dict[Any, tuple[Any, Sequence[Work]]] = {}
        self._finished: deque[Finished] = deque()

    def submit(self, works: Sequence[Work]) -> None:
        """Take samples to draw."""
        self._todo.append(list(works))
        self._dispatch()

    def _dispatch(self) -> None:
        while self._todo and self._idle:
            actor, works = self._idle.popleft(), self._todo.popleft()
            self._running[actor.draw.remote(works, batch=self._batched)] = (actor, works)

    def collect(self, timeout: float | None) -> Finished | None:
        """Wait for something to finish; None where nothing does in time."""
        if not self._finished and self._running:
            done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout)
            for reference in done:
                actor, works = self._running.pop(reference)
                try:
                    results = self._ray.get(reference)
                except Exception as error:  # noqa: BLE001 - the cluster's failure ends the run, as any executor's
                    results = [UsageError(f"the cluster cannot go on: {type(error).__name__}: {error}")] * len(works)
                self._finished.extend(zip(works, results, strict=True))
                self._idle.append(actor)
            self._dispatch()
        return self._finished.popleft() if self._finished else None

    def cancel(self) -> list[Work]:
        """Give back what has not been sent to an actor."""
        works = [work for chunk in self._todo for work in chunk]
        self._todo.clear()
        return works

    def close(self) -> None:
        """Let the cluster go; one that was started here ends."""
        self._ray.shutdown()


def _start(address: str | None, workers: int) -> Any:
    for name, value in _OFFLINE.items():
        os.environ.setdefault(name, value)
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise UsageError("--executor ray needs the extra 'ray'", fix="pip install 'passband[ray]'") from None
    # An address means somebody's cluster; without one, a cluster as large as the work, with a small object store.
    own = {} if address else {"num_cpus": workers, "object_store_memory": 128 * 2**20, "include_dashboard": False}
    for left in reversed(range(_STARTS)):
        try:
            ray.init(address=address, namespace="passband", log_to_driver=False, logging_level="ERROR", **own)
        except Exception as error:  # noqa: BLE001 - it raises whatever its parts do
            ray.shutdown()
            if not left or isinstance(error, ConnectionError):
                said = " ".join(str(error).split())[:200]
                raise UsageError(f"the cluster cannot be reached: {said}", where=f"--address {address}") from None
            time.sleep(1)
        else:
            return ray
    raise AssertionError("unreachable")
