"""The beginning of a server: read the configuration from the control socket, make ready, say so, and serve."""

from __future__ import annotations

import importlib
import marshal
import os
import signal
import socket
import sys

from passband.sandbox.kernel import messages
from passband.sandbox.kernel import syscalls as sc
from passband.sandbox.kernel.server import Server, settle

__all__ = ["main"]


def main(where: str) -> None:
    """Run a server until the host goes away.

    Parameters
    ----------
    where : str
        The control socket: a descriptor, or the path of a socket to call at.
    """
    control = _control(where)
    try:
        taken = messages.receive(control)
        if taken is None:
            return
        config = marshal.loads(taken[0])
        sys.path += config.get("paths", ())
        program = importlib.import_module(config["program"])
        sc.set_name("pb-" + config["program"].rpartition(".")[2])
        server = Server(control, config, program)
        server.enter()
        # In the view, so that nothing the program warms up remembers a path of the host.
        server.state = program.preload(config)
    except Exception as error:  # whatever it is, the host must hear of it
        messages.send(control, b"E" + f"{type(error).__name__}: {error}".encode(errors="replace")[:4096])
        raise
    for name in [n for n in sys.modules if n == "passband" or n.startswith("passband.")]:
        del sys.modules[name]
    settle()
    empty = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(empty, standard)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the host's to handle; it closes the socket
    messages.send(control, b"R")
    server.serve()


def _control(where: str) -> socket.socket:
    if where.isdigit():
        return socket.socket(fileno=int(where))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    control.connect(where)
    return control
