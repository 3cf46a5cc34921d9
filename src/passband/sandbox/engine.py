"""Docker or Podman: a server in a container that shows, of this machine, what the other tiers show and nothing more.

The image is empty. The system's libraries, the interpreter and the installed packages are mounted read-only from this
machine, so that nothing is downloaded and every tier runs one and the same Python. An engine whose containers live on
another machine, or in a virtual one, cannot mount them and is not used.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from typing import TYPE_CHECKING

from passband.sandbox.outer import ETC, PACKAGE, PARTS, RIGHTS, SCRATCH_BYTES, SYSTEM
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from passband.sandbox.setting import Setting

__all__ = ["DOOR", "ENGINES", "container", "installed", "last_words", "provide_image"]

ENGINES = ("podman", "docker")
DOOR = "/run/passband"
"""Where the folder with the host's socket shows in a container."""
_IMAGE = "localhost/passband-empty:1"
_FOLDERS = ("dev", "etc", "proc", "run", "sys", "tmp")
_PROCESSES = 4096
_SHOWN = 300
_ASK_S = 60.0


def installed() -> list[str]:
    """Return the engines whose program is on the path, whether or not it works."""
    return [name for name in ENGINES if shutil.which(name) is not None]


def last_words(text: bytes) -> str:
    """Return the last line of what an engine said."""
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1][:_SHOWN] if lines else ""


def _ask(argv: list[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(argv, input=given, capture_output=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxFaultError(f"{argv[0]} does not answer: {error}") from None


def provide_image(engine: str) -> None:
    """Make the empty image, where the engine does not have it.

    Parameters
    ----------
    engine : str
        ``docker`` or ``podman``.

    Raises
    ------
    SandboxFaultError
        Where the engine cannot, as when its daemon does not run.
    """
    if _ask([engine, "image", "inspect", _IMAGE]).returncode == 0:
        return
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in _FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(folder)
    made = _ask([engine, "import", "-", _IMAGE], packed.getvalue())
    if made.returncode:
        raise SandboxFaultError(f"{engine} makes no image: {last_words(made.stderr) or made.returncode}")


def container(setting: Setting, package: Path, door: str, env: Mapping[str, str]) -> list[str]:
    """Return the command that runs a server in a container.

    Parameters
    ----------
    setting : Setting
        Names the engine, and what to show.
    package : Path
        This package, for the server to load.
    door : str
        Folder of the socket that the server calls at.
    env : mapping
        Environment of the server.

    Returns
    -------
    list of str
    """
    argv = [setting.engine, "run", "--rm", "--pull", "never", "--read-only", "--user", "0:0", "--workdir", "/"]
    argv += ["--network", "host" if setting.share_network else "none", "--security-opt", "no-new-privileges"]
    # Labels of the host's files are not ours to change, and without them a confined label may not read any.
    argv += ["--security-opt", "label=disable", "--cap-drop", "ALL"]
    argv += [word for right in RIGHTS for word in ("--cap-add", right)]
    # For all runs together, above what each of them is allowed: no run may starve the machine by its children.
    argv += ["--pids-limit", str(_PROCESSES), "--memory", str(_half_of_memory())]
    argv += ["--ulimit", "nofile=4096:4096", "--ulimit", f"nproc={_PROCESSES}:{_PROCESSES}"]
    argv += ["--tmpfs", f"/tmp:rw,nosuid,nodev,exec,size={SCRATCH_BYTES},mode=1777"]
    argv += [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
    shown = {path: os.path.realpath(path) for path in (*SYSTEM, *ETC) if os.path.exists(path)}
    shown |= {f"{PACKAGE}/{part}": str(package / part) for part in PARTS} | {DOOR: door}
    shown |= {bind.target: bind.source for bind in setting.binds if bind.source is not None}
    for target, source in shown.items():
        argv += ["--volume", f"{source}:{target}:ro"]
    for bind in setting.binds:
        if bind.source is None and os.path.isdir(bind.target):
            argv += ["--tmpfs", f"{bind.target}:ro,nosuid,nodev,size=4k,mode=555"]
    return [*argv, _IMAGE]


def _half_of_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
