"""What the options of ``passband run`` ask for, where one of them alone does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.cli.opening import load_table
from passband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.cli.stopping import UntilDecided, UntilWidth
    from passband.run.pool import Executor
    from passband.run.ray_pool import Recipe
    from passband.run.work import Drawer
    from passband.subject.traffic import ResponseStore

__all__ = ["read_executor", "read_rule", "read_settings", "read_traffic"]


def read_settings(given: tuple[str, ...]) -> dict[str, str]:
    """Take every ``--set`` apart, and refuse what has no name or one that was given."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError("is not of the form NAME=VALUE", where=f"--set {text}")
        if name in found:
            raise UsageError("is given twice", where=f"--set {name}")
        found[name] = value
    return found


def read_traffic(record: str | None, replay: str | None, *, subject: str, executor: str) -> ResponseStore | None:
    """Open the file of ``--record`` or of ``--replay``, if there is one and if there will be something in it."""
    if record and replay:
        raise UsageError("--record and --replay exclude each other")
    if not record and not replay:
        return None
    if executor == "ray":
        raise UsageError("traffic is recorded and replayed by the local executor alone", where="--executor ray")
    from passband.subject.resolve import refuse_traffic
    from passband.subject.traffic import ResponseStore

    refuse_traffic(subject)  # before a file is made
    return ResponseStore(record or replay or "", replay=replay is not None)


def read_executor(name: str, address: str | None, recipe: Recipe) -> Callable[[Drawer, int, int], Executor]:
    """Find what makes the executor, of which Ray's needs the recipe of a subject and perhaps an address."""
    from passband.run.pool import LocalPool
    from passband.run.ray_pool import ray_executor

    if name == "ray":
        return ray_executor(recipe, address)
    if address:
        raise UsageError("is for --executor ray", where="--address")
    return LocalPool


def read_rule(
    width: float | None, margin: float | None, baseline: str | None, store: str, tasks: int
) -> UntilWidth | UntilDecided | None:
    """Find the rule of when enough has been drawn; ``--until-decided`` holds against the run of ``--baseline``."""
    if (margin is None) != (baseline is None):
        raise UsageError("--until-decided and --baseline go together")
    if width is not None and margin is not None:
        raise UsageError("--until-width and --until-decided exclude each other")
    if width is not None:
        from passband.cli.stopping import UntilWidth

        return UntilWidth(width, tasks)
    if margin is not None and baseline is not None:
        from passband.cli.stopping import UntilDecided

        return UntilDecided(margin, load_table(baseline, store), tasks)
    return None
