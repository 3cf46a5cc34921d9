"""Kill -9 at random moments, of whatever takes part in a run but the runner itself, which test_kill.py sees to."""

import contextlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from passband.run import open_store
from passband.run.ray_pool import ray_executor

from . import graded, killed
from .conftest import ENGINES
from .test_kill import ROOT, content, start
from .test_ray import draw, recipe

KILLS = 50
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def command_lines():
    """Process id → (parent, command line) of all processes."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(entry.name)] = parent, (entry / "cmdline").read_bytes()
    return found


def servers(process):
    """Children of a process: the servers that start its graders. What is below them may be a candidate's process.

    Nobody can tell a candidate that was killed from one that killed itself: it has failed.
    """
    return [pid for pid, (parent, _) in command_lines().items() if parent == process]


class Striker:
    """Kills one of the processes that `victims` gives at a random moment after each few samples, fifty times at most.

    However slow the machine: what is killed has always done something since the last time.
    """

    def __init__(self, victims, seed, every=2):
        self.struck = []
        self._victims, self._every = victims, every
        self._rng = random.Random(seed)
        self._seen, self._over = threading.Semaphore(0), False
        self._thread = threading.Thread(target=self._strike)

    def progress(self, _progress):
        """Hear that samples were stored."""
        self._seen.release()

    def _strike(self):
        while not self._over and len(self.struck) < KILLS:
            for _ in range(self._every):
                self._seen.acquire()
            time.sleep(self._rng.uniform(0, 0.2))
            if not self._over and (found := sorted(self._victims())):
                pid = self._rng.choice(found)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.struck.append(pid)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self._over = True
        self._seen.release(self._every)
        self._thread.join()


def grade(where, seed=None):
    """Draw a graded run; with a seed, kill its graders. Return its samples, and how many processes were killed."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.run.graded", where],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
    ) as process:
        with Striker(lambda: servers(process.pid) if seed is not None else (), seed) as striker:
            for line in process.stdout:
                striker.progress(line)
        assert process.wait() == 0
    with open_store(where) as store:
        return [
            (case, s.index, s.seed, s.output, s.verdict, s.status)
            for case, s in store.samples(store.find("latest").run_id)
        ], len(striker.struck)


def test_fifty_kills_of_graders(tmp_path):
    """Whichever server of the grader is killed, and whenever, a run ends in the verdicts of one that was left alone."""
    (whole, _), struck, runs = grade(str(tmp_path / "whole.db")), 0, 0
    assert len(whole) == graded.CASES * graded.SAMPLES
    while struck < KILLS:
        runs += 1
        assert runs < KILLS, "nothing is there to be killed"
        found, dead = grade(str(tmp_path / f"killed{runs}.db"), seed=runs)
        struck += dead
        assert found == whole


if "postgres" in ENGINES:

    def test_fifty_kills_of_the_database_server(postgres, tmp_path):
        """Each time the server is killed the run ends with an error, and what was said to be done is there."""
        struck, rng = 0, random.Random(7)
        assert killed.draw(str(tmp_path / "whole.db"), 400)
        while struck < KILLS:
            where = postgres.database()
            for _ in range(10):
                with start(where, 400) as process:
                    said = int(process.stdout.readline() or 0)
                    time.sleep(rng.uniform(0, 0.2))
                    postgres.kill()
                    for line in process.stdout:
                        said = int(line)
                struck += process.returncode != 0
                postgres.start()
                with open_store(where) as store:
                    assert store.count(store.find("latest").run_id) >= said
            run_id = killed.draw(where, 400)
            assert content(where, run_id) == content(str(tmp_path / "whole.db"), run_id)


if importlib.util.find_spec("ray"):

    @pytest.mark.filterwarnings("default")  # Ray leaves sockets and processes for the interpreter to find
    def test_fifty_kills_of_sampling_workers(tmp_path, monkeypatch):
        """Workers of a distributed run that are killed, at random moments, change nothing about its result."""
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        with open_store(str(tmp_path / "local.db"), create=True) as store:
            local = draw(store, cases=40, n=60, function="answer")

        def actors():
            return [pid for pid, (_, line) in command_lines().items() if line.startswith(b"ray::_Actor")]

        with (
            open_store(str(tmp_path / "ray.db"), create=True) as store,
            Striker(actors, seed=3, every=1) as striker,
        ):
            distributed = draw(store, ray_executor(recipe()), cases=40, n=60, on_progress=striker.progress)
        assert distributed == local
        assert len(striker.struck) == KILLS
