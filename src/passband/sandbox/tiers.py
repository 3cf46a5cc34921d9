"""Which isolation this machine gives: found by trying, never by version."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from passband.errors import SandboxUnavailableError, UsageError
from passband.sandbox import engine
from passband.sandbox.command import CommandServer
from passband.sandbox.probes import Probe, run_probes
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import Setting, interpreter_binds

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TIERS", "TierReport", "TierTrial", "detect"]

TIERS = ("namespaces", "bubblewrap", "container", "landlock", "process")
"""From the strongest to none at all."""
_FORKS = hasattr(os, "fork") and sys.platform not in {"emscripten", "wasi"}


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
    """The tier as it stands in verdicts and in the fingerprint of a run."""
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
    except (SandboxFaultError, OSError) as error:
        why = error.what if isinstance(error, SandboxFaultError) else str(error)
        return TierTrial(setting.isolation, works=False, why=why, setting=setting)
    failed = [p.name for p in probes if not p.held]
    if failed:
        why = f"a probe could {', '.join(failed)}"
        return TierTrial(setting.isolation, works=False, why=why, probes=probes, setting=setting)
    how = "a user id for each run" if setting.privileged else "with no rights beyond the caller's"
    how = f"{setting.engine or 'as root'}, {how}" if setting.privileged else how
    if not setting.proc:
        how += ", without /proc"
    return TierTrial(setting.isolation, works=True, why=f"all probes held, {how}", probes=probes, setting=setting)


def _settings(tier: str) -> list[Setting]:
    """List the ways to get a tier, the best first."""
    root = os.geteuid() == 0
    if tier == "namespaces":
        rights = (True, False) if root else (False,)
        return [Setting(tier, privileged=p, proc=proc) for p in rights for proc in (True, False)]
    if tier == "container":
        return [Setting(tier, privileged=True, engine=name) for name in engine.installed()]
    # With rights to spare a run gets another user's id; where that user cannot reach the interpreter, root's own.
    return [Setting(tier, privileged=p) for p in ((True, False) if root else (False,))]


def _missing(tier: str) -> str:
    """Say what this machine lacks for a tier even to be tried; empty if nothing."""
    if sys.platform != "linux":
        return f"no Linux, this is {sys.platform}"
    if tier == "bubblewrap" and shutil.which("bwrap") is None:
        return "the program bwrap is not installed"
    if tier == "container" and not engine.installed():
        return f"neither {' nor '.join(engine.ENGINES)} is installed"
    return ""


def _first_that_works(tier: str) -> TierTrial:
    why = _missing(tier)
    if why:
        return TierTrial(tier, works=False, why=why)
    trials = []
    for setting in _settings(tier):
        trials.append(_try(setting))
        if trials[-1].works:
            return trials[-1]
    # The first says most: it asked for everything. Of engines each has its own reason.
    return replace(trials[0], why="; ".join(dict.fromkeys(t.why for t in trials))) if tier == "container" else trials[0]


_found: dict[str, TierTrial] = {}
_lock = threading.Lock()


def _trial(tier: str) -> TierTrial:
    with _lock:
        if tier not in _found:
            _found[tier] = _first_that_works(tier)
        return _found[tier]


def detect(sandbox: str = "auto", *, unsafe: bool = False) -> TierReport:
    """Choose the isolation.

    Parameters
    ----------
    sandbox : {"auto", "namespaces", "bubblewrap", "container", "landlock", "process"}
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
        trial = _unsafe() if tier == "process" else _trial(tier)
        if tier != "process" or unsafe:
            trials.append(trial)
            if trial.works:
                return TierReport(tier, _label(trial), trial.setting, tuple(trials))
    raise SandboxUnavailableError(f"no sandbox can be had here: {_reasons(trials)}", fix=_remedy())


def _reasons(trials: list[TierTrial]) -> str:
    """Say why each tier is not to be had, and what several have in common once."""
    tiers: dict[str, list[str]] = {}
    for trial in trials:
        tiers.setdefault(trial.why, []).append(trial.tier)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in tiers.items())


def _remedy() -> str:
    """Say what to do where no tier is to be had."""
    if sys.platform == "linux":
        return "allow user namespaces, install bubblewrap, Podman or Docker, or say --unsafe to run without isolation"
    container = "run passband in a Linux container (docs/how-to/use-another-system.md)"
    return f"{container}, or say --unsafe to run without isolation" if _FORKS else container


def _unsafe() -> TierTrial:
    why = "" if _FORKS else f"no POSIX system, this is {sys.platform}"
    return TierTrial("process", works=not why, why=why or "no isolation at all", setting=Setting("process"))


def doctor() -> Mapping[str, Any]:
    """Say which tiers this machine gives and why not the others, every one of them tried; plain data, never raises."""
    trials = tuple(_trial(tier) for tier in TIERS if tier != "process")
    best = next((t for t in trials if t.works), None)
    if best is None:
        return {**TierReport("", "", Setting(), trials).as_dict(), "tier": None, "label": None}
    return TierReport(best.tier, _label(best), best.setting, trials).as_dict()


def _label(trial: TierTrial) -> str:
    return trial.setting.engine or trial.tier
