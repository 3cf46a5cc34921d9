"""The judges of tier 1 that are kept: one for each case, as many cases as memory allows."""

from __future__ import annotations

import contextlib
import random
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from passband.grade.material import Material
    from passband.records import EvalCase
    from passband.sandbox.host import Server
    from passband.sandbox.worker import Worker

__all__ = ["Judge", "Judges"]

_KEPT = 64


@dataclass
class Judge:
    """A process that has collected a case's tests."""

    server: Server
    items: Mapping[str, str]
    """Test id → key."""
    refused: tuple[str, ...]
    """Why the case cannot be judged in this tier."""
    lasting: bool
    """Whether one process may judge one run after another."""
    idle: list[Worker] = field(default_factory=list)
    """Such processes, waiting."""
    users: int = 0
    """How many runs it is in at this moment."""

    def close(self) -> None:
        """End the judge and its workers."""
        while self.idle:
            self.idle.pop().close()
        self.server.close()


class Judges:
    """Keeps judges; safe to use from many threads.

    Parameters
    ----------
    make : callable
        Makes the judge of a case.
    """

    def __init__(self, make: Callable[[EvalCase, Material], Judge]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, tuple[EvalCase, Judge]] = OrderedDict()
        self._making: dict[int, threading.Lock] = {}

    @contextlib.contextmanager
    def hold(self, case: EvalCase, material: Material) -> Iterator[Judge]:
        """Give a case's judge, which nobody ends meanwhile.

        Raises
        ------
        SandboxFaultError
            Where it cannot be made.
        """
        judge = self._taken(case)
        if judge is None:
            with self._lock:
                making = self._making.setdefault(id(case), threading.Lock())
            with making:
                judge = self._taken(case) or self._new(case, material)
        try:
            yield judge
        finally:
            with self._lock:
                judge.users -= 1

    def _taken(self, case: EvalCase) -> Judge | None:
        """Return the judge that is there, in use; one that has died is forgotten."""
        with self._lock:
            found = self._kept.get(id(case))
            if found is None:
                return None
            judge = found[1]
            if judge.server.alive:
                self._kept.move_to_end(id(case))
                judge.users += 1
                return judge
            del self._kept[id(case)]
        judge.close()
        return None

    def _new(self, case: EvalCase, material: Material) -> Judge:
        judge = self._make(case, material)
        judge.users = 1
        with self._lock:
            self._kept[id(case)] = (case, judge)
            self._making.pop(id(case), None)
            old = self._superfluous()
        if old is not None:
            old.close()
        return judge

    def _superfluous(self) -> Judge | None:
        """Take out one that is too many, and not in use.

        Of those not used for long any one: were it always the oldest, who goes through a suite round after round would
        find each of them gone.
        """
        idle = [id_ for id_, (_case, judge) in self._kept.items() if not judge.users]
        if len(self._kept) <= _KEPT or not idle:
            return None
        return self._kept.pop(random.choice(idle[: max(1, len(idle) // 2)]))[1]  # noqa: S311 - any will do

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for _case, judge in self._kept.values():
                judge.close()
            self._kept.clear()
