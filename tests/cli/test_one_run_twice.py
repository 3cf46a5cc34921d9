import shutil
from pathlib import Path

import pytest

from passband.cli.app import _run
from passband.records import Split, encode
from tests.stored import store_run

COUNTS = "system,task_id,n,c\nx,t1,8,5\nx,t2,8,3\ny,t1,8,5\ny,t2,8,3\n"


@pytest.fixture
def stored(tmp_path):
    """Two runs in a store, a copy of that store, two counts files with one name in both, a rule and a policy."""
    for number, name in enumerate(("a", "b")):
        store_run("s.db", name, {f"c{i}": "PPFP" for i in range(30)}, created_at=float(number + 1))
    shutil.copy("s.db", "copy.db")
    Path("counts.csv").write_text(COUNTS)
    Path("later.csv").write_text(COUNTS.replace("x,t2,8,3", "x,t2,8,4"))
    Path("gate.toml").write_text('[[rule]]\nkind = "no_worse"\nmargin = 5\n')
    parts = {"validation": tuple(f"c{i}" for i in range(15)), "test": tuple(f"c{i}" for i in range(15, 30))}
    Path("split.json").write_bytes(encode(Split(suite="s", suite_version="v" * 64, by="variant", parts=parts)))
    Path("selection.toml").write_text('split = "split.json"\nchoose = "best"\n')


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "a", "a"),
        ("compare", "a", "copy.db#a"),
        ("compare", "a", "b", "copy.db#b"),
        ("compare", "a", "a", "--narrowing"),
        ("compare", "counts.csv#x", "counts.csv#x"),
        ("compare", "counts.csv", "counts.csv"),
        ("compare", "--recipe", "a,b", "b"),
        ("stats", "counts.csv", "--compare", "x", "x"),
        ("drift", "a", "a"),
        ("gate", "a", "--baseline", "copy.db#a"),
        ("select", "a", "b", "a"),
    ],
)
def test_a_run_is_not_held_against_itself(stored, command, capsys):
    """One run under one name or two is refused by whatever compares, ranks, chooses or decides."""
    assert _run([*command, *(() if command[0] == "stats" else ("--store", "s.db"))]) == 2
    said = capsys.readouterr()
    assert "is named twice: no run compares with itself" in said.err or "stands for two seeds" in said.err
    assert not said.out


@pytest.mark.parametrize("command", [("compare", "counts.csv#x"), ("gate", "counts.csv#x", "--baseline")])
def test_tasks_that_two_files_of_counts_do_not_share_are_named(stored, command, capsys):
    """Counts of other tasks are refused with the tasks, by what compares and by what decides, until it is allowed."""
    Path("more.csv").write_text("task_id,n,c\nt1,8,5\nt3,8,3\nt4,8,3\n")
    assert _run([*command, "more.csv"]) == 2
    said = capsys.readouterr().err
    for words in ("1 task only in x: t2", "2 tasks only in system: t3, t4", "suite_version"):
        assert words in said
    Path("gate.toml").write_text('allow = ["suite_version"]\n[[rule]]\nkind = "no_worse"\nmargin = 5\n')
    allowed = ("--allow", "suite_version") if command[0] == "compare" else ()
    assert _run([*command, "more.csv", *allowed]) == 3


@pytest.mark.parametrize("pair", [("counts.csv#x", "counts.csv#y"), ("counts.csv#x", "later.csv#x"), ("a", "b")])
def test_two_runs_are_two_however_alike(stored, pair, capsys):
    """Equal counts under two names, and other counts under one name, are two runs."""
    assert _run(["compare", *pair, "--store", "s.db"]) in (0, 3)
    assert not capsys.readouterr().err
