import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import StoreError, UnknownNameError, UsageError
from passband.run.store import Store
from tests.stored import store_run

from .runner import passband

SUITE = '{"id": "a", "inputs": {}, "reference": "1", "grader_spec": {"kind": "exact_match"}}\n'
RUN = ("run", "suite.jsonl", "--subject", "python:agent:one", "-n", "6", "--unsafe")


@pytest.fixture(autouse=True)
def _files(tmp_path):
    """Write a suite and an agent into the current folder."""
    (tmp_path / "suite.jsonl").write_text(SUITE)
    (tmp_path / "agent.py").write_text("def one(view, seed): return '1'\n")


def invoke(*arguments):
    """Run a command in this process: what it raised, its output and its complaints."""
    return CliRunner().invoke(cli, arguments, standalone_mode=False)


def break_record(path, case_no=0, sample_no=3):
    """Change one byte in the middle of a record."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        ((record,),) = db.execute(
            "SELECT record FROM records WHERE case_no = ? AND sample_no = ?", (case_no, sample_no)
        ).fetchall()
    data = bytearray(Path(path).read_bytes())
    data[data.index(record) + len(record) // 2] ^= 0xFF
    Path(path).write_bytes(data)


def test_a_damaged_run_is_not_resumed_in_silence():
    """Nothing is drawn into a damaged store; the rescue that is named draws the lost sample again, and only that."""
    assert passband(*RUN, "--store", "s.db").code == 0
    with Store("s.db") as store:
        run_id = store.find("latest").run_id
        seeds = {sample.index: sample.seed for _, sample in store.samples(run_id)}
    break_record("s.db")
    before = Path("s.db").read_bytes()
    refused = passband(*RUN, "--store", "s.db", "--resume")
    assert refused.code == 4
    assert f"1 of 6 records of {run_id} cannot be read; save what is left with: passband store rescue" in refused.err
    assert Path("s.db").read_bytes() == before
    assert passband("store", "rescue", "s.db", "-o", "saved.db").code == 0
    resumed = passband(*RUN, "--store", "saved.db", "--resume")
    assert (resumed.code, resumed.out.split()[0]) == (0, "DONE")
    with Store("saved.db") as store:
        assert {sample.index: sample.seed for _, sample in store.samples(run_id)} == seeds


@pytest.mark.parametrize(
    "command",
    ["show s.db", "show s.db a", "compare s.db s.db", "gate s.db --policy p.toml", "flaky s.db", "drift s.db s.db"],
)
def test_whoever_reads_a_damaged_run_says_so(command):
    """Each command that reads a run says once how many of its records are lost and where to look."""
    store_run("s.db", "run", {"a": "PPFFPP", "b": "PFPFPF"})
    Path("p.toml").write_text('[[rule]]\nkind = "floor"\nmin = 0.1\n')
    break_record("s.db")
    found = [line for line in invoke(*command.split()).stderr.splitlines() if "damaged" in line]
    assert found == [
        "passband: warning: s.db is damaged: 1 of 12 records of run cannot be read; see passband store check s.db"
    ]


def test_a_case_shows_what_can_be_read():
    """The other samples of a case are shown, the lost one is named, and asking for it is the error itself."""
    store_run("s.db", "run", {"a": "PPFFPP"})
    break_record("s.db")
    done = invoke("show", "s.db", "a")
    assert "passband: warning: sample 3 of a cannot be read" in done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[3:]] == ["0", "1", "2", "4", "5"]
    error = invoke("show", "s.db", "a", "3").exception
    assert isinstance(error, StoreError)
    assert "damaged record" in error.what
    assert isinstance(invoke("show", "s.db", "a", "9").exception, UnknownNameError)


def test_a_cut_file_leads_to_the_rescue():
    """What SQLite refuses as a whole is refused with the way to what is left, which is then shown as usual."""
    store_run("s.db", "run", {f"c{i}": "PF" * 60 for i in range(8)})
    data = Path("s.db").read_bytes()
    Path("s.db").write_bytes(data[: len(data) * 3 // 4])
    for command in (("show", "s.db"), ("store", "check", "s.db")):
        assert "passband store" in str(invoke(*command).exception)
    done = invoke("store", "rescue", "s.db", "-o", "saved.db")
    assert "saved.db  1 run, " in done.stdout
    assert "of 960 samples" in done.stdout
    assert invoke("show", "saved.db").stdout.startswith("PARTIAL  run  ")
    Path("s.db").write_bytes(data[:5000])
    error = invoke("store", "rescue", "s.db", "-o", "none.db").exception
    assert "nothing in it can be read" in str(error)
    assert not Path("none.db").exists()


@pytest.mark.parametrize(
    ("store", "words"),
    [
        ("", ["--store ''", "names no store", "give a file"]),
        ("mysql://h/x", ["mysql://", "is no kind of store", "give a file"]),
        (".", ["is a folder", "name a file in it"]),
        ("nowhere/s.db", ["nowhere/s.db", "there is no folder", "make it first"]),
        ("suite.jsonl", ["suite.jsonl", "not a database"]),
        ("postgresql://me:secret@127.0.0.1:1/x", ["127.0.0.1:1", "cannot be opened", "see that the server runs"]),
    ],
)
def test_a_store_that_can_not_be_is_one_line(store, words):
    """What is wrong, where, and what to do; no part of a password."""
    done = passband(*RUN, "--store", store)
    assert done.code == (2 if "://" in words[0] or "''" in words[0] else 4)
    (line,) = [line for line in done.err.splitlines() if line.startswith("passband: error: ")]
    assert all(word in line for word in words)
    assert "secret" not in done.err


_SMALL = """
import resource, runpy, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
runpy.run_module("passband", run_name="__main__")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the signal of a file that is too large is Linux's")
def test_a_disk_that_fills_in_the_middle_of_a_run_loses_nothing():
    """Where a file can grow no further the run ends with one line, and with room again it is finished by --resume."""
    Path("agent.py").write_text(
        "import random, time\nfrom passband.records import Answer\nfrom passband.subject import Response\n"
        "def one(view, seed):\n"
        "    time.sleep(0.02)  # so that they are written a few at a time\n"
        "    return Response(output=Answer(b'1'), trace=({'noise': random.Random(seed).randbytes(4000).hex()},))\n"
    )
    command = [*RUN, "--store", "s.db", "--workers", "1"]
    command[command.index("-n") + 1] = "100"
    full = subprocess.run(
        [sys.executable, "-c", _SMALL, *command], capture_output=True, text=True, timeout=120, check=False
    )
    assert full.returncode == 4
    assert "Traceback" not in full.stderr
    (line,) = [line for line in full.stderr.splitlines() if line.startswith("passband: error: ")]
    assert "what was committed is safe" in line
    assert "--resume" in line
    with Store("s.db") as store:
        kept = {sample.index: sample for _, sample in store.samples(store.find("latest").run_id)}
    assert 0 < len(kept) < 100
    done = passband(*command, "--resume")
    assert (done.code, done.out.split()[0]) == (0, "DONE")
    with Store("s.db") as store:
        whole = {sample.index: sample for _, sample in store.samples(store.find("latest").run_id)}
    assert len(whole) == 100
    assert all(whole[index] == sample for index, sample in kept.items())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [("--help",), ("show", "s.db"), ("show", "s.db", "--format", "json"), RUN])
def test_an_output_that_is_full_is_one_line(arguments):
    """A report that can't be written is said on standard error, with the code of what is incomplete."""
    store_run("s.db", "run", {"a": "PF"})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "passband", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1].startswith("passband: error: the output cannot be written: No space left")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "ascii", "utf-8"])
def test_a_report_in_any_encoding(encoding):
    """A character that the output does not have is written as another; nothing dies of it."""
    store_run("s.db", "run", {"a": "EE", "b": "EE"})
    done = subprocess.run(
        [sys.executable, "-m", "passband", "show", "s.db"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"NO RESULT  run" in done.stdout
    assert ("pass@1 - -" if encoding == "latin-1" else "pass@1") in " ".join(
        done.stdout.decode(errors="replace").split()
    )


def test_why_samples_errored_is_counted():
    """The causes stand in the summary, in a case and in the data, the most frequent first, numbers apart."""
    Path("agent.py").write_text(
        "def one(view, seed):\n"
        "    if seed % 3 == 0: raise ConnectionError('refused')\n"
        "    raise ValueError(f'port {seed} is taken')\n"
    )
    done = passband(*RUN, "--attempts", "1", "--store", "s.db")
    assert (done.code, done.out.split()[:2]) == (4, ["NO", "RESULT"])
    shown = json.loads(passband("show", "s.db", "--format", "json").out)["errors"]
    assert [cause["samples"] for cause in shown["causes"]] == sorted(
        (cause["samples"] for cause in shown["causes"]), reverse=True
    )
    assert sum(cause["samples"] for cause in shown["causes"]) == shown["errored"] == 6
    first = shown["causes"][0]
    for text in (done.out, invoke("show", "s.db").stdout, invoke("show", "s.db", "a").stdout):
        assert f"errored        {first['samples']} × {first['cause']}" in text
    assert "0 of 0 pass, no verdict, 6 errored" in invoke("show", "s.db", "a").stdout


@pytest.mark.parametrize("cases", [{"a": "PP", "b": "PP"}, {"a": "FF"}, {"a": "PF"}, {"a": "EE"}, {"a": "PEE"}])
def test_what_is_shown_does_not_offer_itself(cases):
    """The next step that show offers is one that shows more."""
    store_run("s.db", "run", cases)
    text = " ".join(invoke("show", "s.db").stdout.split())
    assert "next: passband show s.db a" in text


def test_what_a_run_to_resume_differs_in_is_named():
    """A run of another n, seed or subject is not resumed, and both values are said."""
    assert passband(*RUN, "--store", "s.db").code == 0
    other = list(RUN)
    other[other.index("-n") + 1] = "4"
    error = invoke(*other, "--store", "s.db", "--resume").exception
    assert isinstance(error, UsageError)
    assert "differs in -n (6 there, 4 here)" in str(error)
    seeded = invoke(*RUN, "--seed", "3", "--store", "s.db", "--resume").exception
    assert "differs in --seed (0 there, 3 here)" in str(seeded)


def test_a_rule_that_is_not_met_says_what_is_left():
    """Where n samples were not enough the width that was reached is said, and nan is no width."""
    done = passband(*RUN, "--store", "s.db", "--until-width", "0.01")
    assert done.code == 0
    assert "passband: all samples are drawn, and pass@1 is known to within " in done.err
    assert passband(*RUN, "--store", "t.db", "--until-width", "nan").code == 2


def test_a_budget_of_time_says_how_long_the_rest_took():
    """What waits for a worker when the time is spent is not started, and what was under way is let finish."""
    Path("agent.py").write_text("import time\ndef one(view, seed):\n    time.sleep(2)\n    return '1'\n")
    done = passband(*RUN, "--store", "s.db", "--budget-time", "1s", "--workers", "2")
    assert done.code == 4
    assert "the time budget of 1 s is spent; what was in flight then took until 0:0" in done.err
    with Store("s.db") as store:
        assert store.count(store.find("latest").run_id) == 2
