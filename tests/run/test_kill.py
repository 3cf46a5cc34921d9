import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from passband.run import open_store

from . import killed

ROOT = Path(__file__).parents[2]


def start(where, n):
    """Start a run in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.run.killed", where, str(n)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
        start_new_session=True,
    )


def content(where, run_id):
    """Everything a run holds but its times."""
    with open_store(where) as store:
        return [
            (case, s.index, s.seed, s.output, s.verdict, s.status, s.faults) for case, s in store.samples(run_id)
        ], len(store.table(run_id))


def kill_and_resume(where, whole, kills, n, seed):
    """Kill a run at random moments until it has been killed `kills` times, then let it end; return how often it was."""
    rng = random.Random(seed)
    struck = 0
    while struck < kills:
        with start(where, n) as process:
            first = process.stdout.readline()
            said = int(first or 0)
            time.sleep(rng.uniform(0, 0.06))
            os.killpg(process.pid, signal.SIGKILL)
            for line in process.stdout:
                said = int(line)
        struck += process.returncode == -signal.SIGKILL
        if first:
            with open_store(where) as store:
                held = store.count(store.find("latest").run_id)
            # What was reported done is there.
            assert held >= said
            if held == whole:
                break  # before it could be killed often enough
    return struck


def test_a_killed_run_resumes_to_the_uninterrupted_result(where, tmp_path):
    """Kill -9 at random moments, resumed each time, ends in the samples of a run that was never killed."""
    kill_test(where, tmp_path, kills=5, n=60, seed=1)


@pytest.mark.slow
def test_two_hundred_kills(tmp_path):
    """Two hundred kills over several runs leave every one of them whole."""
    struck = 0
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        struck += kill_test(str(folder / "killed.db"), folder, kills=20, n=400, seed=100 + seed)
    assert struck == 200


def kill_test(where, folder, *, kills, n, seed):
    """Compare a run killed again and again with one that was not."""
    struck = kill_and_resume(where, killed.CASES * n, kills, n, seed)
    run_id = killed.draw(where, n)
    assert killed.draw(str(folder / "whole.db"), n) == run_id
    got, wanted = content(where, run_id), content(str(folder / "whole.db"), run_id)
    assert got == wanted
    assert got[1] == killed.CASES * n
    return struck
