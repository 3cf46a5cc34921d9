"""How a server isolates what it runs, and what a Python program needs to see."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from passband.sandbox.kernel.bind import Bind

__all__ = ["Setting", "base_python", "interpreter_binds", "package_folders"]


@dataclass(frozen=True)
class Setting:
    """How a fork server isolates what it runs."""

    isolation: str = "namespaces"
    """``namespaces``, ``bubblewrap``, ``container``, ``landlock`` or ``process``."""
    privileged: bool = False
    """Whether mounts are made with the rights of root, and each run gets a user id of its own."""
    engine: str = ""
    """The program that runs containers: ``docker`` or ``podman``."""
    proc: bool = True
    """Whether a fresh ``/proc`` may be mounted."""
    binds: tuple[Bind, ...] = ()
    hash_seed: int = 0
    """Of the interpreter: what the order of sets depends on."""
    share_network: bool = False
    """Whether runs share the host's network; bubblewrap and containers must know from the start."""


def interpreter_binds(*, packages: bool) -> list[Bind]:
    """List what a Python program needs to see: the base interpreter, and where asked the installed packages."""
    base = Path(sys.base_prefix).resolve()
    binds = [Bind(str(base), sys.base_prefix)]
    if str(base) != sys.base_prefix:
        binds.append(Bind(str(base), str(base)))
    if packages:
        for path in package_folders():
            binds.append(Bind(str(Path(path).resolve()), path))
            # The package's own folder holds the built-in suite with its references and hidden tests.
            binds.append(Bind(None, f"{path}/passband"))
    return binds


def package_folders() -> list[str]:
    """Return the folders of installed packages on this interpreter's path."""
    return [p for p in sys.path if p.endswith(("site-packages", "dist-packages")) and os.path.isdir(p)]


def base_python() -> str:
    """Return the interpreter that candidates run on: the one beneath any virtual environment."""
    return getattr(sys, "_base_executable", None) or sys.executable
