import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import StoreError
from passband.records import Split
from passband.run.store import STORE_SCHEMA, Store, check_store, glance
from tests.stored import store_run

from .places import read_only

CASES = {"a": "PF", "b": "FF"}


@pytest.fixture
def whole(tmp_path):
    """A closed store with one run."""
    store_run(str(tmp_path / "s.db"), "run", CASES)
    return tmp_path / "s.db"


@contextlib.contextmanager
def logged(path):
    """Hold a store open with a third case's samples in its log alone, as a killed process leaves it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.execute("DELETE FROM columns")
        for table in ("samples", "records"):
            db.execute(f"DELETE FROM {table} WHERE case_no = 1 AND sample_no = 1")
        yield


def test_a_store_on_a_read_only_disk_is_read(whole):
    """Where nothing can be written, a store shows all it holds, and leaves nothing beside it."""
    with read_only(whole) as folder:
        with Store(folder / "s.db") as store:
            assert store.read_only
            assert list(store.table("run").passed) == [1, 0, 0, 0]
            assert len(list(store.samples("run"))) == 4
        assert check_store(folder / "s.db").ok
        assert glance(folder / "s.db", "run") == ""
        assert [entry.name for entry in folder.iterdir()] == ["s.db"]


def test_a_log_on_a_read_only_disk_is_read(whole, tmp_path):
    """What a killed process has left in the log counts, though SQLite can't use it where it lies."""
    torn = tmp_path / "torn"
    torn.mkdir()
    with logged(whole):
        for name in ("s.db", "s.db-wal"):
            shutil.copyfile(tmp_path / name, torn / name)
    with read_only(torn / "s.db", torn / "s.db-wal") as folder:
        with Store(folder / "s.db") as store:
            assert store.count("run") == 3
        assert check_store(folder / "s.db").samples == 3


def test_an_old_store_on_a_read_only_disk_is_read(tmp_path):
    """A store of the first schema, which can't be migrated where it lies, is read from a copy."""
    path = tmp_path / "s.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((Path(__file__).parents[1] / "data/store-1.sql").read_text())
    with read_only(path) as folder, Store(folder / "s.db") as store:
        assert store.read_only
        assert list(store.table("r").passed) == [1, 0, -1]
        with contextlib.closing(sqlite3.connect(f"file:{folder}/s.db?immutable=1", uri=True)) as db:
            assert db.execute("PRAGMA user_version").fetchone()[0] < STORE_SCHEMA


def test_nothing_is_written_to_a_read_only_store(whole):
    """A write is one line that says what to do; so is a run that is to be drawn into it."""
    with read_only(whole) as folder:
        with Store(folder / "s.db") as store, pytest.raises(StoreError, match="cannot be written") as caught:
            store.drop_errored("run")
        assert "copy it" in caught.value.fix
        with pytest.raises(StoreError, match="cannot be written to"):
            Store(folder / "s.db", create=True)
        with pytest.raises(StoreError, match="cannot be written to"):
            Store(folder / "new.db", create=True)


def test_the_ledger_of_a_read_only_store_is_whole(whole):
    """A run that the ledger does not name yet is in it all the same, where it can't be entered."""
    with Store(whole) as store:
        header = store.find("run")
        split = Split(
            suite="s",
            suite_version=header.harness.suite_version,
            by="variant",
            parts={"test": ("a",), "validation": ("b",)},
        )
        digest = store.ledger.register(split, "test")
        with store.transaction():
            store.execute("DELETE FROM test_ledger")
    with read_only(whole) as folder, Store(folder / "s.db") as store:
        assert [(entry.event, entry.run_id) for entry in store.ledger.entries(digest)] == [("evaluated", "run")]
        assert store.query("SELECT * FROM test_ledger") == []


@pytest.mark.parametrize("command", ["show {0}", "show {0} a 1", "runs --store {0}", "flaky {0}"])
def test_commands_that_read_say_so_once(whole, command):
    """Every command that reads a run reads it there, and says once that it can't be written to."""
    # Once before, as whoever runs the tests: what is imported later may be theirs alone to read.
    assert CliRunner().invoke(cli, command.format(whole).split(), standalone_mode=False).stderr == ""
    with read_only(whole) as folder:
        path = str(folder / "s.db")
        done = CliRunner().invoke(cli, command.format(path).split(), standalone_mode=False)
        assert done.exception is None
        assert done.stderr == f"passband: note: {path} cannot be written to: it is read as it stands\n"


def test_a_file_that_is_not_to_be_read_is_one_line(whole):
    """A file of somebody else's is neither missing nor damaged: it is refused by the system."""
    with read_only(whole, mode=0o000) as folder:
        for use in (Store, check_store):
            with pytest.raises(StoreError, match="cannot be read: Permission denied"):
                use(folder / "s.db")
