"""A PostgreSQL server of the tests' own: no port, no password, gone afterwards."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

INITDB = shutil.which("initdb") or next(iter(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None)
"""Where PostgreSQL is installed; None where it is not."""


class Postgres:
    """A server on a socket in a folder of its own."""

    def __init__(self) -> None:
        assert INITDB is not None
        self._bin = Path(INITDB).resolve().parent
        # Not below pytest's folder: the server runs as somebody who cannot see into it.
        self.folder = Path(tempfile.mkdtemp(prefix="passband-pg-", dir="/tmp"))
        self._names = itertools.count()
        self._user = self._unprivileged()
        if self._user is not None:
            os.chown(self.folder, self._user, -1)
        self._call(
            "initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
        )
        self.start()

    @staticmethod
    def _unprivileged() -> int | None:
        """Whom to run as: the server refuses root."""
        if os.getuid() != 0:
            return None
        for name in ("postgres", "nobody"):
            try:
                return pwd.getpwnam(name).pw_uid
            except KeyError:
                continue
        raise RuntimeError("no user to run PostgreSQL as")

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._bin / program), *arguments],
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )

    def start(self) -> None:
        """Start the server and wait for it."""
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=40"
        log = str(self.folder / "log")
        deadline = time.monotonic() + 30
        while True:
            try:
                self._call("pg_ctl", "-D", str(self.folder / "data"), "-o", options, "-l", log, "-w", "start")
            except subprocess.CalledProcessError:
                # The last processes of one that was killed may still hold its memory.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
            else:
                return

    def kill(self) -> None:
        """Kill -9 the server and all its processes."""
        pid = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
        os.kill(pid, signal.SIGKILL)
        for child in children.stdout.split():
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                continue
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            time.sleep(0.01)

    def database(self) -> str:
        """Make an empty database and return its URL."""
        import psycopg

        name = f"t{next(self._names)}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def close(self) -> None:
        """Stop the server and remove what it left."""
        subprocess.run(
            [str(self._bin / "pg_ctl"), "-D", str(self.folder / "data"), "-m", "immediate", "stop"],
            check=False,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        shutil.rmtree(self.folder, ignore_errors=True)
