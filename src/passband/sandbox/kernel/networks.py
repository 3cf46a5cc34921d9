"""Network namespaces for the runs of one server."""

from __future__ import annotations

import os

from passband.sandbox.kernel import syscalls as sc

__all__ = ["Networks"]


class Networks:
    """Lends an empty network to one run at a time.

    One is dear to make and cannot be soiled by who has no rights in it, so a few are kept.
    """

    def __init__(self) -> None:
        self._host = os.open("/proc/self/ns/net", os.O_RDONLY)
        self._free: list[int] = []

    def enter(self, proc: int, *, shared: bool) -> int:
        """Enter the network for the next run, a free one or the host's; returns its descriptor.

        Parameters
        ----------
        proc : int
            Descriptor of a ``/proc`` that shows this process.
        shared : bool
            Whether the run shares the host's.
        """
        if shared:
            sc.setns(self._host, sc.CLONE_NEWNET)
            return self._host
        if self._free:
            sc.setns(self._free[-1], sc.CLONE_NEWNET)
            return self._free.pop()
        sc.unshare(sc.CLONE_NEWNET)
        sc.loopback_up()
        return os.open("self/ns/net", os.O_RDONLY, dir_fd=proc)

    def release(self, network: int) -> None:
        """Take one back from a run whose processes are all gone, and their sockets with them."""
        if network != self._host:
            self._free.append(network)
