"""Tier 2 from the host's side: one warm pytest server, a forked and confined run for each candidate."""

from __future__ import annotations

import marshal
import os
import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from passband.errors import SuiteError
from passband.grade.material import Material, shadowed, test_files
from passband.grade.report import Report, ending
from passband.grade.settings import read_settings
from passband.grade.warm import WARM, uses_numpy
from passband.records import Limits
from passband.sandbox.forkserver import ForkServer
from passband.sandbox.keeper import Keeper
from passband.sandbox.runs import RunEnd, SandboxFaultError
from passband.sandbox.setting import interpreter_binds, package_folders

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from types import CodeType

    from passband.records import EvalCase
    from passband.sandbox.tiers import TierReport

__all__ = ["Design", "WholeRunner"]

_COMPILE_LIMITS = Limits(wall_s=60, cpu_s=60, mem_mb=4096)
_CODE_CAP, _REPORT_CAP = 1 << 28, 1 << 23


@dataclass(frozen=True)
class Design:
    """A copy of the hidden files in which some checks cannot hold."""

    code: Mapping[str, CodeType] = field(repr=False)
    leeway: Mapping[int, tuple[bool, bool]] = field(repr=False)
    """Check → whether it may be passed by, and whether how often it holds is all that can be known of it."""


class _Kind(NamedTuple):
    numpy: bool = False
    """Whether numpy is loaded before the fork."""
    hash_seed: int = 0


class WholeRunner:
    """Runs hidden tests with pytest in the candidate's own process.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._report = report
        self._servers = Keeper(self._start)

    @property
    def label(self) -> str:
        """The tier's name in verdicts."""
        return f"pytest@{self._report.label}"

    def _start(self, kind: _Kind) -> ForkServer:
        binds = tuple(interpreter_binds(packages=True))
        setting = replace(self._report.setting, binds=binds, hash_seed=kind.hash_seed)
        warm = (*WARM, "_pytest.unittest", "unittest.mock", *(("numpy",) if kind.numpy else ()))
        return ForkServer("passband.grade.inside.whole", setting, {"paths": package_folders(), "warm": warm})

    def _call(
        self,
        payload: Mapping[str, Any],
        limits: Limits,
        cap: int,
        *,
        kind: _Kind | None = None,
        base: Mapping[str, bytes] | None = None,
    ) -> RunEnd:
        """Do one run, and once more where the sandbox failed."""
        kind = kind or _Kind()
        try:
            return self._once(payload, limits, cap, kind, base)
        except SandboxFaultError:
            return self._once(payload, limits, cap, kind, base)

    def _once(
        self, payload: Mapping[str, Any], limits: Limits, cap: int, kind: _Kind, base: Mapping[str, bytes] | None
    ) -> RunEnd:
        read, write = os.pipe()
        try:
            run = self._servers.get(kind).start(payload, limits, [write], base=base)
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        return run.wait(read, result_cap=cap)

    def _compile(self, payload: Mapping[str, Any], case: EvalCase) -> Any:
        end = self._call({"tree": {}, **payload}, _COMPILE_LIMITS, _CODE_CAP)
        try:
            # Written by our own compiler in a process that never saw a candidate.
            good, result = marshal.loads(end.result)
        except (ValueError, EOFError, TypeError):
            why = ending(end, _COMPILE_LIMITS) or "no answer"
            raise SandboxFaultError(f"the compiler of tests ended early: {why}") from None
        if not good:
            raise SuiteError(f"the hidden tests cannot be compiled: {result}", where=f"case {case.id}")
        return result

    def material(self, case: EvalCase) -> Material:
        """Compile a case's hidden tests and their variants.

        Raises
        ------
        SuiteError
            Where one is not there, or they are not Python.
        SandboxFaultError
            Where the sandbox failed.
        """
        spec: Any = case.grader_spec
        files = test_files(spec)
        if missing := [file for file in files if file not in case.hidden]:
            raise SuiteError(f"hidden/{missing[0]} is not there, but test ids name it", where=f"case {case.id}")
        done = self._compile({"sources": _python(case), "files": files}, case)
        sites = {(file, name): n for file, found in done["units"].items() for name, is_test, n in found if is_test}
        data = {path: content for path, content in case.hidden.items() if not path.endswith(".py")}
        return Material(
            tuple(files),
            done["code"],
            done["variants"],
            sites,
            data,
            uses_numpy((case.workspace, case.hidden)),
            case.workspace,
            read_settings(case.workspace, case.hidden),
        )

    def designs(self, case: EvalCase, still: Collection[tuple[str, str]], count: int) -> list[tuple[Design, Design]]:
        """Compile pairs of copies of the hidden files: what is changed in one of two is not in the other.

        Parameters
        ----------
        case : EvalCase
            The case.
        still : collection of (path, unit)
            Units in which nothing is changed.
        count : int
            How many pairs.

        Returns
        -------
        list of two Design
        """
        asked = [(secrets.randbits(60), sorted(still)) for _ in range(count)]
        done = self._compile({"sources": _python(case), "designs": asked}, case)
        return [(Design(first, leeway), Design(second, leeway)) for (first, second), leeway in done]

    def run(
        self,
        material: Material,
        code: Mapping[str, CodeType],
        files: Sequence[str],
        keys: Sequence[str] | None,
        tree: Mapping[str, bytes],
        limits: Limits,
        ids: Sequence[str] = (),
        *,
        direct: bool = False,
        hash_seed: int = 0,
    ) -> tuple[Report, RunEnd]:
        """Run tests on a tree.

        Parameters
        ----------
        material : Material
            The case's tests.
        code : mapping
            Path → code of what is to be importable.
        files : sequence of str
            Test files among them.
        keys : sequence of str or None
            The tests to run; None runs all and lists them.
        tree : mapping
            The candidate's tree.
        limits : Limits
            What the run may use.
        ids : sequence of str
            Tests to run that have no key, reported under their ids.
        direct : bool
            Whether all of them are plain, and need not be collected.
        hash_seed : int
            What the order of sets depends on.

        Raises
        ------
        SandboxFaultError
            Where the sandbox failed, twice.
        """
        payload = {
            "tree": tree,
            "shadowed": shadowed(tree),
            "beside": material.beside(code),
            "code": code,
            "folders": material.settings.folders,
            "options": list(material.settings.options),
            "files": list(files),
            "keys": list(keys) if keys is not None else None,
            "ids": list(ids),
            "direct": direct and keys is not None and not ids,
        }
        kind = _Kind(material.numpy, hash_seed)
        end = self._call(payload, limits, _REPORT_CAP, kind=kind, base=material.base)
        return Report(end.result, ending(end, limits)), end

    def close(self) -> None:
        """End the servers."""
        self._servers.close()


def _python(case: EvalCase) -> dict[str, bytes]:
    """Return the hidden Python files, and what makes packages of their folders where that is the tree's.

    The suite's tree, not the candidate's: what a folder of tests is must not change with the answer.
    """
    found = {path: content for path, content in case.hidden.items() if path.endswith(".py")}
    for path in list(found):
        init = f"{path.rpartition('/')[0]}/__init__.py"
        if init in case.workspace:
            found.setdefault(init, case.workspace[init])
    return found
