"""The host's side of a fork server, against a server played by the test."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import TYPE_CHECKING

import pytest

from passband.records import Limits
from passband.sandbox import SandboxFaultError
from passband.sandbox.host import Server
from passband.sandbox.kernel import messages

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def line() -> Iterator[tuple[Server, socket.socket]]:
    """Return a server as the host sees it, and the end that the test plays."""
    ours, theirs = socket.socketpair()
    with theirs, Server(ours) as server:
        yield server, theirs


def take(theirs: socket.socket, said: bytes) -> None:
    """Take one run, say something of it, and let go of all its descriptors."""
    taken = messages.receive(theirs)
    assert taken is not None
    status, *rest = taken[1]
    os.write(status, said)
    for fd in (status, *rest):
        os.close(fd)


END = b'R{"returncode": 0, "timed_out": false, "wall_s": 0.1, "cpu_s": 0.1, "peak_kb": 9}'


@pytest.mark.parametrize(("said", "alive"), [(b"", False), (b"R", False), (END, True), (b"Eno room", True)])
def test_a_server_that_ends_without_a_word_is_dead_though_its_socket_is_open(line, said, alive):
    """The sockets of a dying process close one by one: what a run hears first counts for the server at once."""
    server, theirs = line
    run = server.start({}, Limits())
    take(theirs, said)
    with contextlib.suppress(SandboxFaultError):
        run.wait()
    assert server.alive is alive


@pytest.mark.parametrize(("said", "alive"), [(b"", False), (b"Eno room", True)])
def test_so_it_is_where_a_branch_or_a_tree_hears_it(line, said, alive):
    """A branch that does not come up tells a dead server from one that says why."""
    server, theirs = line
    run = server.start({}, Limits())
    take(theirs, said)
    with pytest.raises(SandboxFaultError, match="no room" if alive else "died"):
        run.kept()
    assert server.alive is alive
    read, write = os.pipe()
    os.close(write)
    again = server.start({}, Limits())
    take(theirs, said)
    with pytest.raises(SandboxFaultError, match="no room" if alive else "died"):
        again.begun(read, 100)
    again.cancel()
    assert server.alive is alive
