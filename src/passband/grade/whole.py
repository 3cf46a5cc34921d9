"""Tier 2 from the host's side: one warm pytest server, a forked and confined run for each candidate."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from passband.grade.report import TestRun, ending, read_report
from passband.sandbox.host import ForkServer, interpreter_binds, package_paths
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import EvalCase, Limits
    from passband.sandbox.tiers import TierReport

__all__ = ["WARM", "WholeRunner", "test_files"]

WARM = (
    "argparse",
    "collections",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "pathlib",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "threading",
    "time",
    "types",
    "typing",
    "unittest.mock",
    "_pytest.unittest",
)


def test_files(ids: Sequence[str]) -> list[str]:
    """Return the files that test ids live in, each once, in order."""
    return list(dict.fromkeys(id_.partition("::")[0] for id_ in ids))


class WholeRunner:
    """Runs hidden tests with pytest in the candidate's own process.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._server: ForkServer | None = None

    def _running(self) -> ForkServer:
        with self._lock:
            if self._server is None or not self._server.alive:
                setting = replace(self._report.setting, binds=tuple(interpreter_binds(packages=True)))
                config = {"paths": package_paths(self._report.setting), "warm": WARM}
                self._server = ForkServer("passband.grade.inside.whole", setting, config)
            return self._server

    def run(self, case: EvalCase, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits) -> TestRun:
        """Run the tests on a tree.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed, twice.
        """
        try:
            return self._once(case, tree, ids, limits)
        except SandboxFaultError:
            return self._once(case, tree, ids, limits)

    def _once(self, case: EvalCase, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits) -> TestRun:
        payload = {
            "tree": tree,
            # Names without content for pytest to walk over; the code itself comes by memory.
            "beside": {path: b"" if path.endswith(".py") else data for path, data in case.hidden.items()},
            "sources": {path: data for path, data in case.hidden.items() if path.endswith(".py")},
            "files": test_files(ids),
            "ids": list(ids),
        }
        read, write = os.pipe()
        try:
            run = self._running().start(payload, limits, [write])
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        end = run.wait(read)
        return TestRun(
            read_report(end.result, ids, ending(end, limits)),
            f"pytest@{self._report.label}",
            end.log.decode(errors="replace"),
            end.wall_s,
            end.cpu_s,
        )

    def close(self) -> None:
        """End the server."""
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None
