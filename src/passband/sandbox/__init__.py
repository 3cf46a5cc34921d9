"""Isolation tiers behind one small interface.

``detect`` finds the strongest tier that this machine really gives, by trying to get out of it; ``run_command`` runs a
command on a tree of files inside it. Nothing falls back in silence: without isolation there is an error, unless the
caller says ``unsafe``.
"""

from __future__ import annotations

import atexit
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from passband.sandbox.command import CommandResult, CommandServer
from passband.sandbox.keeper import Keeper
from passband.sandbox.kernel.bind import Bind
from passband.sandbox.probes import Probe
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import interpreter_binds
from passband.sandbox.tiers import TIERS, TierReport, TierTrial, detect, doctor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import Limits

__all__ = [
    "TIERS",
    "CommandResult",
    "Probe",
    "SandboxFaultError",
    "TierReport",
    "TierTrial",
    "detect",
    "doctor",
    "run_command",
]

# Where the network is a server's, not a run's.
_WHOLE_NETWORK = frozenset({"bubblewrap", "container"})
_servers = Keeper(CommandServer)
atexit.register(_servers.close)


def run_command(
    argv: Sequence[str],
    *,
    files: Mapping[str, bytes] | None = None,
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    network: bool = False,
    mounts: Sequence[str] = (),
    apart: bool = False,
    sandbox: str = "auto",
    unsafe: bool = False,
) -> CommandResult:
    """Run a command in a fresh, writable workspace inside the sandbox.

    Parameters
    ----------
    argv : sequence of str
        Program and arguments; looked up on a PATH of this interpreter, ``/usr/local/bin``, ``/usr/bin`` and ``/bin``.
    files : mapping, optional
        Relative POSIX path → content: the workspace, which is the working directory.
    env : mapping, optional
        The environment beyond HOME, PATH, LANG, TMPDIR and TZ; nothing of this process's own gets in.
    limits : Limits, optional
        What it may use; past ``wall_s`` it is killed and the tree so far is returned with ``timed_out``.
    network : bool
        Share the host's network. Off, there is only a loopback of its own.
    mounts : sequence of str
        Further paths of the host to show, read-only, at their own places; where this process is root, a command can
        read of them what everybody can. With one below ``/tmp``, that folder
        itself is read-only too; TMPDIR names the one for scratch files.
    apart : bool
        Keep standard error by itself, in ``errors``, each up to the limit; else it is part of ``output``, in order.
    sandbox, unsafe
        As for :func:`detect`.

    Returns
    -------
    CommandResult
        A failure of the sandbox is its ``fault``, not an exception.

    Raises
    ------
    SandboxUnavailableError, UsageError
        As for :func:`detect`.
    """
    report = detect(sandbox, unsafe=unsafe)
    binds = [*interpreter_binds(packages=True), *(Bind(str(Path(m).resolve()), m) for m in mounts)]
    setting = replace(report.setting, binds=tuple(binds), share_network=network and report.tier in _WHOLE_NETWORK)
    try:
        server = _servers.get(setting)
    except SandboxFaultError as error:
        from passband.records import Fault

        return CommandResult(fault=Fault("sandbox", error.what))
    return server.run(argv, files=files, env=env, limits=limits, network=network, apart=apart)
