import contextlib
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import UnknownNameError, UsageError
from passband.run import Store
from passband.run.store import check_store, glance
from tests.stored import store_run

CASES = {f"c{i}": "PF" * 60 for i in range(8)}


def damage(path):
    """Destroy a page of records, far from what a summary reads."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'records'").fetchone()
        (page,) = (
            db.execute(
                "SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'leaf' AND pageno != ? LIMIT 1",
                (root,),
            ).fetchone()
            if _has_dbstat(db)
            else (root,)
        )
        (size,) = db.execute("PRAGMA page_size").fetchone()
    data = bytearray(Path(path).read_bytes())
    data[(page - 1) * size : page * size] = b"\xee" * size
    Path(path).write_bytes(data)


def _has_dbstat(db):
    return "ENABLE_DBSTAT_VTAB" in {row[0] for row in db.execute("PRAGMA compile_options")}


def show(*arguments):
    """What `show` prints, and its complaints."""
    return CliRunner().invoke(cli, ["show", *arguments], standalone_mode=False)


def test_show_warns_of_damage_in_one_line(tmp_path):
    """A summary of a damaged store comes with one line on standard error; that of a whole one with none."""
    path = str(tmp_path / "s.db")
    store_run(path, "run", CASES)
    assert glance(path) == ""
    assert show(path).stderr == ""
    damage(path)
    done = show(path)
    (line,) = done.stderr.strip().split("\n")
    assert line.startswith(f"passband: warning: {path} is damaged: ")
    assert line.endswith(f"; see passband store check {path}")


def test_records_that_are_gone_are_seen_in_passing(tmp_path):
    """Rows without records are damage even where the database itself is whole."""
    path = str(tmp_path / "s.db")
    store_run(path, "run", CASES)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM records WHERE case_no = 1")
        db.commit()
    assert glance(path) == "960 rows of samples stand against 840 records"


def test_findings_are_short_lines(tmp_path):
    """What SQLite says of a damaged file comes one short line each, without its headings."""
    path = str(tmp_path / "s.db")
    store_run(path, "run", CASES)
    damage(path)
    found = [text for text in check_store(path).problems if text.startswith("database: ")]
    assert found
    for text in found:
        assert "\n" not in text
        assert "***" not in text
        assert len(text) <= 110


def test_a_beginning_that_fits_several_runs_names_them(tmp_path):
    """A prefix of two ids is a usage error that names both; one of none is an unknown name."""
    path = str(tmp_path / "s.db")
    for name in ("mutator-aa", "mutator-ab", "other"):
        store_run(path, name, {"c": "P"})
    with Store(path) as store:
        assert store.find("mutator-ab").run_id == "mutator-ab"
        with pytest.raises(UsageError, match=r"'mutator' fits 2 runs: mutator-aa, mutator-ab; write more of its id"):
            store.find("mutator")
        with pytest.raises(UnknownNameError, match="no run named 'mutatr'"):
            store.find("mutatr")


def test_a_margin_is_refused_in_the_points_it_was_given_in(tmp_path):
    """`--margin -5` and `--margin 100` are out of range in points."""
    path = str(tmp_path / "s.db")
    for name in ("a", "b"):
        store_run(path, name, {"c": "P", "d": "F"})
    for margin in ("-5", "100"):
        done = CliRunner().invoke(
            cli, ["compare", "a", "b", "--margin", margin, "--store", path], standalone_mode=False
        )
        assert isinstance(done.exception, UsageError)
        assert f"--margin {margin} is not from 0 up to 100 points" in str(done.exception)
