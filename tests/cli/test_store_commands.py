import json
from pathlib import Path

import pytest

from .runner import passband

SUITE = '{"id": "a", "inputs": {}, "reference": "1", "grader_spec": {"kind": "exact_match"}}\n'


@pytest.fixture(autouse=True)
def _stores(tmp_path):
    """Write a suite and an agent, and draw one run into each of two stores."""
    (tmp_path / "suite.jsonl").write_text(SUITE)
    (tmp_path / "agent.py").write_text("def one(view, seed): return '1'\n")
    for name, seed in (("a.db", "1"), ("b.db", "2")):
        done = passband(
            *("run", "suite.jsonl", "--subject", "python:agent:one", "-n", "40", "--seed", seed),
            *("--store", name, "--unsafe"),
        )
        assert done.code == 0, done.err


def test_merging():
    """Two stores become one that holds the runs of both."""
    done = passband("store", "merge", "a.db", "b.db", "-o", "c.db")
    assert done.code == 0, done.err
    assert done.out.count("1 run: 40 samples added") == 2
    assert len(json.loads(passband("runs", "--store", "c.db", "--format", "json").out)) == 2


def test_checking_and_rescuing():
    """A whole store is called whole; a damaged one is found, rescued, and finished by resuming."""
    whole = passband("store", "check", "a.db")
    assert (whole.code, whole.out.split()[0]) == (0, "WHOLE")
    data = bytearray(Path("a.db").read_bytes())
    place = data.rindex(b"\x28\xb5\x2f\xfd")  # the beginning of a compressed record
    data[place + 10 : place + 14] = b"\0\0\0\0"
    Path("a.db").write_bytes(data)
    found = passband("store", "check", "a.db")
    assert (found.code, found.out.split()[0]) == (4, "DAMAGED")
    assert json.loads(passband("store", "check", "a.db", "--format", "json").out)["problems"]
    saved = passband("store", "rescue", "a.db", "-o", "saved.db")
    assert saved.code == 0, saved.err
    assert passband("store", "rescue", "a.db", "-o", "saved.db").code == 4
    again = passband(
        *("run", "suite.jsonl", "--subject", "python:agent:one", "-n", "40", "--seed", "1"),
        *("--store", "saved.db", "--unsafe", "--resume"),
    )
    assert "DONE" in again.out
    assert passband("store", "check", "saved.db").code == 0


def test_a_server_that_is_not_there_is_one_line():
    """A store URL without a server behind it is one clear error, and shows no password."""
    done = passband("runs", "--store", "postgresql://me:secret@127.0.0.1:1/none")
    assert done.code == 4
    assert "cannot be opened" in done.err
    assert "secret" not in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [("check",), ("rescue", "-o", "new.db")])
def test_a_database_is_no_file_to_check(command):
    """The care of files is for files: a database is sent to merge, before anything is opened."""
    ran = passband("store", command[0], "postgresql://nobody@localhost/none", *command[1:])
    assert ran.code == 2
    assert "is a database, not a file" in ran.err
