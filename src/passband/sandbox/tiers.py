"""Which isolation this machine gives: found by trying, never by version."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from passband.errors import SandboxUnavailableError, UsageError
from passband.sandbox.command import CommandServer
from passband.sandbox.host import Setting, interpreter_binds
from passband.sandbox.probes import Probe, run_probes
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TIERS", "TierReport", "TierTrial", "detect"]

TIERS = ("namespaces", "process")
"""From the strongest to none at all."""

Choice = Literal["auto", "namespaces", "process"]


@dataclass(frozen=True)
class TierTrial:
    """What came of trying one tier."""

    tier: str
    works: bool
    why: str
    """Why not, or what it gives."""
    probes: tuple[Probe, ...] = ()
    setting: Setting = field(default_factory=Setting)


@dataclass(frozen=True)
class TierReport:
    """The tier in use and how it was found."""

    tier: str
    label: str
    """The tier with what sets it apart, for the fingerprint of a run."""
    setting: Setting
    trials: tuple[TierTrial, ...] = field(default_factory=tuple)

    @property
    def isolated(self) -> bool:
        """Whether candidates are kept from the host at all."""
        return self.tier != "process"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, as ``passband doctor`` prints it."""
        return {
            "tier": self.tier,
            "label": self.label,
            "trials": [
                {"tier": t.tier, "works": t.works, "why": t.why, "probes": {p.name: p.held for p in t.probes}}
                for t in self.trials
            ],
        }


def _try(setting: Setting) -> TierTrial:
    try:
        server = CommandServer(replace(setting, binds=tuple(interpreter_binds(packages=False))))
        try:
            probes = tuple(run_probes(server))
        finally:
            server.close()
    except SandboxFaultError as error:
        return TierTrial(setting.isolation, works=False, why=error.what, setting=setting)
    failed = [p.name for p in probes if not p.held]
    if failed:
        why = f"a probe could {', '.join(failed)}"
        return TierTrial(setting.isolation, works=False, why=why, probes=probes, setting=setting)
    how = "as root, a user id for each run" if setting.privileged else "as an ordinary user"
    if not setting.proc:
        how += ", without /proc"
    return TierTrial(setting.isolation, works=True, why=f"all probes held, {how}", probes=probes, setting=setting)


def _namespaces() -> TierTrial:
    if sys.platform != "linux":
        why = f"namespaces are a feature of Linux, not of {sys.platform}"
        return TierTrial("namespaces", works=False, why=why)
    trials = []
    for privileged in (True, False) if os.geteuid() == 0 else (False,):
        for proc in (True, False):
            trial = _try(Setting("namespaces", privileged=privileged, proc=proc))
            if trial.works:
                return trial
            trials.append(trial)
    # The first says most: it asked for everything.
    return trials[0]


_found: dict[str, TierTrial] = {}
_lock = threading.Lock()


def _trial(tier: str) -> TierTrial:
    with _lock:
        if tier not in _found:
            _found[tier] = _namespaces()
        return _found[tier]


def detect(sandbox: str = "auto", *, unsafe: bool = False) -> TierReport:
    """Choose the isolation.

    Parameters
    ----------
    sandbox : {"auto", "namespaces", "process"}
        ``auto`` takes the strongest tier that holds every probe.
    unsafe : bool
        Allow ``process``: candidates then run as this user, with this user's files and network.

    Returns
    -------
    TierReport
        With the result of every probe. The answer is kept for the life of the process.

    Raises
    ------
    SandboxUnavailableError
        Where no permitted tier holds; the message says why.
    UsageError
        For a tier there is not, or ``process`` without `unsafe`.
    """
    if sandbox not in {"auto", *TIERS}:
        raise UsageError(f"no sandbox named {sandbox!r}", fix=f"there are: auto, {', '.join(TIERS)}")
    if sandbox == "process" and not unsafe:
        raise UsageError("the sandbox 'process' isolates nothing", fix="say --unsafe to use it all the same")
    trials: list[TierTrial] = []
    for tier in TIERS if sandbox == "auto" else (sandbox,):
        if tier == "process":
            trial = TierTrial("process", works=unsafe, why="no isolation at all", setting=Setting("process"))
        else:
            trial = _trial(tier)
        trials.append(trial)
        if trial.works:
            label = tier if tier != "process" else "process (no isolation)"
            return TierReport(tier, label, trial.setting, tuple(trials))
    raise SandboxUnavailableError(
        f"no sandbox can be had here: {'; '.join(f'{t.tier}: {t.why}' for t in trials if t.tier != 'process')}",
        fix="allow user namespaces, or say --unsafe to run candidates without isolation",
    )


def doctor() -> Mapping[str, Any]:
    """Say which tier this machine gives and why not a stronger one, as plain data; never raises."""
    try:
        return detect().as_dict()
    except SandboxUnavailableError as error:
        return {
            "tier": None,
            "label": str(error),
            "trials": [
                {"tier": t.tier, "works": t.works, "why": t.why, "probes": {p.name: p.held for p in t.probes}}
                for t in _found.values()
            ],
        }
