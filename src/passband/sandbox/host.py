"""The host's side of a fork server: hand it runs, collect what comes back."""

from __future__ import annotations

import marshal
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Self

from passband.records import Limits
from passband.sandbox.kernel import messages
from passband.sandbox.runs import Run, SandboxFaultError

__all__ = ["BRANCH_LIFE_S", "Branch", "Server"]

# Up to this a tree is sent and written afresh for each run, in a millisecond or two.
_LARGE_FILES, _LARGE_BYTES = 100, 1 << 20
_KEPT_TREES = 12
BRANCH_LIFE_S = 1e6
"""How long a branch may live: long, but poll() counts milliseconds in 32 bits."""


def memory_file(content: bytes) -> int:
    """Return a descriptor of an anonymous file that holds `content`."""
    if sys.platform == "linux":
        fd = os.memfd_create("passband")
    else:
        fd, path = tempfile.mkstemp(prefix="passband-")
        os.unlink(path)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    return fd


def _is_large(tree: Mapping[str, bytes]) -> bool:
    return len(tree) > _LARGE_FILES or sum(map(len, tree.values())) > _LARGE_BYTES


def _changes(base: Mapping[str, bytes], tree: Mapping[str, bytes]) -> dict[str, Any]:
    """Say how a tree differs from another one, and which folders both have."""
    changed = {path: content for path, content in tree.items() if base.get(path) != content}
    folders = {path.rpartition("/")[0] for path in base} - {""}
    return {"tree": changed, "deleted": [path for path in base if path not in tree], "folders": sorted(folders)}


class Server:
    """Forks one confined child per run; safe to use from many threads.

    Parameters
    ----------
    control : socket.socket
        The server's socket.
    """

    def __init__(self, control: socket.socket) -> None:
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._control = control
        self.keeps = False
        """Whether large trees can be left with the server."""
        self._lost = threading.Event()
        self._names = 0
        self._kept: dict[int, tuple[str, Mapping[str, bytes]]] = {}

    @property
    def alive(self) -> bool:
        """Whether the server can take another run."""
        # A process that dies closes one socket after another: that of a run may end before the server's own.
        if self._lost.is_set():
            return False
        try:
            return self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def branch(self, payload: Mapping[str, Any], *, result_cap: int = 1 << 22) -> tuple[Branch, bytes]:
        """Fork a server that has prepared something: a confined process of its own, whose runs share its sandbox.

        Parameters
        ----------
        payload : mapping
            For the program's ``branch``.
        result_cap : int
            Bytes kept of what that says.

        Returns
        -------
        Branch, bytes
            The new server, and what its preparation said.

        Raises
        ------
        SandboxFaultError
            Where it does not come up.
        """
        ours, theirs = socket.socketpair()
        read, write = os.pipe()
        limits = Limits(wall_s=BRANCH_LIFE_S)
        try:
            run = self.start(payload, limits, [theirs.fileno(), write], branch=True)
        except BaseException:
            ours.close()
            os.close(read)
            raise
        finally:
            theirs.close()
            os.close(write)
        made = Branch(ours, run)
        try:
            return made, run.begun(read, result_cap)
        except SandboxFaultError:
            made.close()
            raise

    def start(
        self,
        payload: Mapping[str, Any],
        limits: Limits,
        channels: Sequence[int] = (),
        *,
        env: Mapping[str, str] | None = None,
        network: bool = False,
        wall_s: float | None = None,
        branch: bool = False,
        base: Mapping[str, bytes] | None = None,
    ) -> Run:
        """Begin a run.

        Parameters
        ----------
        payload : mapping
            For the program; ``tree`` (path → bytes) is laid out in the box, ``beside`` in its folder for hidden files.
        limits : Limits
            What it may use.
        channels : sequence of int
            Descriptors the program gets; the caller still owns, and closes, its own copies.
        env : mapping, optional
            Added to the constant environment.
        network : bool
            Whether the run shares the host's network.
        wall_s : float, optional
            Overrides the limit's clock, for programs that keep their own inside it.
        base : mapping, optional
            A tree that ``tree`` is a change of, and many runs' are: where it is large it is sent once.

        Raises
        ------
        SandboxFaultError
            Where the server is gone.
        """
        kept = self._keep(base) if base is not None and self.keeps and _is_large(base) else ""
        if kept and base is not None:
            payload = {**payload, **_changes(base, payload["tree"])}
        size = sum(len(v) for part in ("tree", "beside") for v in payload.get(part, {}).values())
        clock = limits.wall_s if wall_s is None else wall_s
        content = marshal.dumps({k: dict(v) if isinstance(v, Mapping) else v for k, v in payload.items()})
        header = {
            "size": len(content),
            "limits": {n: getattr(limits, n) for n in limits.__struct_fields__},
            "wall_s": clock,
            "box": int(limits.file_mb * 2**20) + 2 * size + 4096 * 64,
            "env": dict(env or {}),
            "network": network,
            "branch": branch,
            "base": kept,
        }
        return self._send(header, content, channels, clock, limits.output_kb * 1024)

    def _send(self, header: dict[str, Any], content: bytes, channels: Sequence[int], clock: float, log_cap: int) -> Run:
        status, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        body = memory_file(content)
        try:
            with self._sending:
                messages.send(self._control, marshal.dumps(header), [theirs.fileno(), body, log_write, *channels])
        except OSError as error:
            status.close()
            os.close(log_read)
            raise SandboxFaultError(f"a sandbox server is gone: {error}") from None
        finally:
            theirs.close()
            os.close(body)
            os.close(log_write)
        return Run(status, log_read, clock, log_cap, self._lost.set)

    def _keep(self, tree: Mapping[str, bytes]) -> str:
        """Leave a tree with the server, unless it has it; returns its name there."""
        with self._lock:
            found = self._kept.get(id(tree))
            if found is not None:
                return found[0]
            if len(self._kept) >= _KEPT_TREES:
                # The server lets go of its oldest; what it still has is sent again, under another name.
                self._kept.clear()
            content = marshal.dumps(dict(tree))
            self._names += 1
            name = str(self._names)
            self._send({"keep": name, "size": len(content)}, content, (), 60.0, 0).kept()
            self._kept[id(tree)] = (name, tree)
            return name

    def close(self) -> None:
        """End the server and whatever still runs in it."""
        with self._lock:
            self._control.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Branch(Server):
    """A server inside a run of another one."""

    def __init__(self, control: socket.socket, trunk: Run) -> None:
        super().__init__(control)
        self._trunk: Run | None = trunk

    def close(self) -> None:
        """End the branch and whatever still runs in it."""
        super().close()
        with self._lock:
            if self._trunk is not None:
                self._trunk.cancel()
                self._trunk = None
