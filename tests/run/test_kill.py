import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from passband.grade import Grading
from passband.run import RetryPolicy, execute, make_header, open_store
from passband.subject import Mutator
from passband.suite import BUILTIN, EvalSuite, load_suite

from . import killed
from .conftest import ENGINES

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


if "postgres" in ENGINES:

    def test_a_killed_database_server_loses_nothing(postgres, tmp_path):
        """A run whose database server is killed ends with an error; once it is back, resuming finishes the run."""
        where, n = postgres.database(), 150
        for _ in range(3):
            with start(where, n) as process:
                said = int(process.stdout.readline())
                # Held, or it might be over before a busy machine has killed the server.
                os.killpg(process.pid, signal.SIGSTOP)
                postgres.kill()
                os.killpg(process.pid, signal.SIGCONT)
                for line in process.stdout:
                    said = int(line)
            postgres.start()
            assert process.returncode != 0
            with open_store(where) as store:
                assert store.count(store.find("latest").run_id) >= said
        run_id = killed.draw(where, n)
        assert killed.draw(str(tmp_path / "whole.db"), n) == run_id
        assert content(where, run_id) == content(str(tmp_path / "whole.db"), run_id)


# The pipes of a server that died are left for the interpreter to find.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_killed_grader_costs_retries_not_samples(tmp_path):
    """Killing the grader's sandbox servers in the middle of a run changes no verdict."""
    suite = load_suite(BUILTIN)
    few = EvalSuite("few", tuple(suite)[:3])
    subject = Mutator("mutator")
    found = []
    for name, strike in (("whole.db", False), ("killed.db", True)):
        with Grading(unsafe=True, workers=2) as grading, open_store(str(tmp_path / name), create=True) as store:
            header = make_header(few, subject, grading, samples_per_case=6, seed=1, created_at=1.0)
            store.add_run(header)
            struck = []

            def kill(progress, strike=strike, struck=struck):
                if strike and progress.done in range(3, 12):
                    struck.extend(kill_descendants())

            execute(
                header,
                few,
                subject,
                grading,
                store,
                workers=2,
                on_progress=kill,
                retry=RetryPolicy(attempts=8, base_s=0.05),
            )
            assert bool(struck) == strike
            found.append([(c, s.index, s.output, s.verdict.outcome) for c, s in store.samples(header.run_id)])
    assert found[0] == found[1]


def kill_descendants():
    """Kill -9 every process that this one has started, and theirs; return their ids."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    # Parents first: a server that sees its candidate die would tell of it, and a candidate may kill itself too.
    ours, level = [], {os.getpid()}
    while level:
        level = {pid for pid, parent in parents.items() if parent in level}
        ours += sorted(level)
    struck = []
    for pid in ours:
        with contextlib.suppress(OSError):  # it has ended by itself
            if b"postgres" not in Path(f"/proc/{pid}/cmdline").read_bytes():  # another test's server
                os.kill(pid, signal.SIGKILL)
                struck.append(pid)
    return struck
