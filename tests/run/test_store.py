import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest

from passband.errors import StoreError, UnknownNameError, UsageError
from passband.records import Answer, Fault, Harness, Outcome, RunHeader, Sample, Status, Usage, Verdict
from passband.run import STORE_SCHEMA, Store, open_store
from passband.run.store import check_store

HARNESS = Harness(suite="s", suite_version="v", grader="g", success_criterion="c", sandbox_tier="none")


def header(run_id="r", created_at=1.0):
    """Make a header of two cases and two samples each."""
    return RunHeader(
        run_id=run_id,
        subject="x",
        harness=HARNESS,
        seed=0,
        samples_per_case=2,
        case_ids=("a", "b"),
        created_at=created_at,
    )


def sample(index=0, *, passed=True, **changes):
    """Make a graded sample."""
    outcome = Outcome.RESOLVED if passed else Outcome.UNRESOLVED
    verdict = Verdict(passed=passed, score=float(passed), detail="d", outcome=outcome)
    return Sample(**{"index": index, "seed": 5, "output": Answer(b"\xff"), "verdict": verdict} | changes)


@pytest.fixture
def file_store(tmp_path):
    """An open store file with one run."""
    with Store(tmp_path / "f.db", create=True) as opened:
        opened.add_run(header())
        yield opened


@pytest.fixture
def store(any_store):
    """An open store of each engine with one run."""
    any_store.add_run(header())
    return any_store


def test_what_is_written_is_read_back(store):
    """Full samples and narrow rows agree with what was put in, errored ones included."""
    errored = Sample(
        index=1, seed=6, output=None, verdict=None, status=Status.ERRORED, faults=(Fault("subject", "gone"),)
    )
    priced = sample(usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.25))
    store.add_samples("r", [(0, priced), (1, errored)])
    assert list(store.samples("r")) == [(0, priced), (1, errored)]
    assert list(store.samples("r", 1)) == [(1, errored)]
    table = store.table("r")
    assert list(table.case) == [0, 1]
    assert list(table.passed) == [1, -1]
    assert list(table.tokens) == [7, 0]
    assert table.cost_usd[0] == 0.25
    assert set(store.done("r")) == {(0, 0), (1, 1)}


def test_writing_twice_changes_nothing(store):
    """A sample that is there stays as it is: writes are idempotent."""
    store.add_samples("r", [(0, sample(passed=True))])
    store.add_samples("r", [(0, sample(passed=False))])
    assert list(store.table("r").passed) == [1]
    assert next(store.samples("r"))[1].verdict.passed


def test_equal_answers_have_equal_hashes(store):
    """The column that tells answers apart does."""
    store.add_samples("r", [(0, sample(0)), (0, sample(1)), (1, sample(0, output=Answer(b"other")))])
    one, two, three = store.table("r").answer
    assert one == two != three


def test_runs_are_found_by_name(store):
    """A run answers to its id, to an unambiguous beginning of it, and the newest to 'latest'."""
    store.add_run(header("run-b", 3.0))
    store.add_run(header("run-a", 2.0))
    assert store.find("latest").run_id == "run-b"
    assert store.find("run-a").run_id == "run-a"
    assert store.find("r").run_id == "r"
    for name in ("", "zzz"):
        with pytest.raises(UnknownNameError):
            store.find(name)
    with pytest.raises(UsageError, match="'run' fits 2 runs: run-a, run-b"):
        store.find("run")


def test_a_run_is_found_without_its_digest(store):
    """The name of a subject is its run's, though another subject's begins the same; of several runs none is taken."""
    for run_id in ("agent-0123abcd", "agent-fast-0123abce"):
        store.add_run(header(run_id, 2.0))
    assert store.find("agent").run_id == "agent-0123abcd"
    assert store.find("agent-f").run_id == "agent-fast-0123abce"
    store.add_run(header("agent-9123abcd", 2.0))
    with pytest.raises(UsageError, match="'agent' fits 2 runs: agent-0123abcd, agent-9123abcd"):
        store.find("agent")


def test_a_reader_is_not_blocked_by_a_writer(store, where):
    """While a writer holds its transaction, another connection reads what is committed."""
    store.add_samples("r", [(0, sample())])
    with store._writing(), open_store(where) as reader:
        assert len(reader.table("r")) == 1


def test_several_writers_at_once(where):
    """Connections that write the same run at once lose nothing and duplicate nothing."""
    with open_store(where, create=True) as first:
        first.add_run(header())

    def write(offset):
        with open_store(where) as own:
            for index in range(offset, offset + 40):
                own.add_samples("r", [(0, sample(index))])

    threads = [threading.Thread(target=write, args=(offset,)) for offset in (0, 20, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(where) as last:
        assert list(last.table("r").index) == list(range(80))


def test_one_file_remains(tmp_path):
    """A closed store is one file that can be moved."""
    with Store(tmp_path / "s.db", create=True) as opened:
        opened.add_run(header())
        opened.add_samples("r", [(0, sample())])
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.db"]
    (tmp_path / "s.db").rename(tmp_path / "moved.db")
    with Store(tmp_path / "moved.db") as opened:
        assert len(opened.table("r")) == 1


def test_a_newer_schema_is_refused(tmp_path):
    """A store of a newer version is left alone, with a word on what to do."""
    path = tmp_path / "s.db"
    Store(path, create=True).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={STORE_SCHEMA + 1}")
    with pytest.raises(StoreError, match=rf"newer Passband .schema {STORE_SCHEMA + 1}.*upgrade"):
        Store(path)


def test_other_files_are_refused(tmp_path):
    """Neither somebody else's database nor a text file is taken for a store, and neither is changed."""
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE runs (x)")
    text = tmp_path / "text.db"
    text.write_text("hello " * 1000)
    for path, words in ((other, "not a Passband store"), (text, "not a database")):
        before = path.read_bytes()
        with pytest.raises(StoreError, match=words):
            Store(path, create=True)
        assert path.read_bytes() == before


def test_missing_and_unwritable_stores(tmp_path):
    """A store that is not there, or cannot be made, is one clear error."""
    with pytest.raises(StoreError, match="no such store"):
        Store(tmp_path / "none.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "no" / "folder.db", create=True)
    with pytest.raises(StoreError, match="is a folder; name a file"):
        Store(tmp_path, create=True)


def test_a_full_disk_loses_nothing(file_store):
    """When the disk is full the write fails as a whole, what was committed stays, and writing works again later."""
    file_store.add_samples("r", [(0, sample(0))])
    (pages,) = file_store._db.execute("PRAGMA page_count").fetchone()
    file_store._db.execute(f"PRAGMA max_page_count={pages}")
    big = sample(1, output=Answer(bytes(range(256)) * 4096), trace=({"noise": [str(i * 7919) for i in range(20000)]},))
    with pytest.raises(StoreError, match=r"full.*--resume"):
        file_store.add_samples("r", [(0, big), (1, sample(0))])
    assert set(file_store.done("r")) == {(0, 0)}
    file_store._db.execute("PRAGMA max_page_count=1000000")
    file_store.add_samples("r", [(0, big)])
    assert set(file_store.done("r")) == {(0, 0), (0, 1)}


def test_a_damaged_record_is_named(store):
    """A record whose bytes are damaged is an error with its place, not a wrong number."""
    store.add_samples("r", [(0, sample(0))])
    with store._writing():
        store._do("UPDATE records SET record = ?", (b"\x00\x11\x22\x33",))
    with pytest.raises(StoreError, match="case 0, sample 0: holds a damaged record"):
        list(store.samples("r"))


def test_a_store_of_schema_1_is_migrated(tmp_path):
    """A store of the first schema opens with every run and sample it held, and takes new ones."""
    path = tmp_path / "s.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((Path(__file__).parent / "data/store-1.sql").read_text())
    with Store(path) as store:
        (version,) = store._read("PRAGMA user_version")
        assert version == (STORE_SCHEMA,)
        assert store.find("latest") == header()
        found = {(case, s.index): s for case, s in store.samples("r")}
        assert found[0, 0] == sample(0)
        assert found[0, 1] == sample(1, passed=False, usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.25))
        assert found[1, 0].faults == (Fault("subject", "gone"),)
        assert list(store.table("r").passed) == [1, 0, -1]
        store.add_samples("r", [(1, sample(1))])
        store.settle("r")
    with Store(path) as store:
        assert list(store.table("r").passed) == [1, 0, -1, 1]


def test_a_store_of_schema_2_is_migrated(tmp_path):
    """Columns that the second schema packed are read as those of a run that no rule has ended."""
    path = tmp_path / "s.db"
    with Store(path, create=True) as store:
        store.add_run(header())
        store.add_samples("r", [(0, sample(0)), (1, sample(0))])
        store.settle("r")
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE columns DROP COLUMN enough")
        db.execute("PRAGMA user_version=2")
    with Store(path) as store:
        assert list(store.table("r").passed) == [1, 1]
        assert store.table("r").enough == ""
        store.settle("r", enough="narrow")
        assert store.table("r").enough == "narrow"


def test_damaged_columns_are_no_loss(tmp_path):
    """A run whose packed columns have one wrong byte is read from its rows, and the check says so."""
    path = tmp_path / "s.db"
    with Store(path, create=True) as store:
        store.add_run(header())
        store.add_samples("r", [(0, sample(0)), (1, sample(0, passed=False))])
        store.settle("r")
        ((data,),) = store.query("SELECT data FROM columns")
        torn = data[:20] + bytes([data[20] ^ 1]) + data[21:]
        with store.transaction():
            store.execute("UPDATE columns SET data = ?", (torn,))
        assert list(store.table("r").passed) == [1, 0]
    (problem,) = check_store(path).problems
    assert "damaged columns" in problem


def test_packed_columns_are_the_rows(store):
    """A settled run reads the same from its packed columns as from its rows, until a sample is added."""
    errored = Sample(
        index=1, seed=6, output=None, verdict=None, status=Status.ERRORED, faults=(Fault("subject", "gone"),)
    )
    store.add_samples("r", [(0, sample(usage=Usage(input_tokens=3, cost_usd=0.5))), (0, errored), (1, sample())])
    rows = store.table("r")
    store.settle("r")
    packed = store.table("r")
    assert store._read("SELECT rows FROM columns") == [(3,)]
    for name in ("case", "index", "passed", "outcome", "answer", "tokens", "seconds"):
        assert getattr(packed, name) == getattr(rows, name)
    for name in ("score", "cost_usd"):
        assert getattr(packed, name).tobytes() == getattr(rows, name).tobytes()
    assert [row.done for row in store.runs()] == [3]
    store.add_samples("r", [(1, sample(1))])
    assert not store._read("SELECT rows FROM columns")
    assert len(store.table("r")) == 4


def test_counts_are_the_aggregate(store):
    """The database counts what the table says: passes, graded and errored samples of each case."""
    errored = Sample(index=2, seed=6, output=None, verdict=None, status=Status.ERRORED, faults=(Fault("x", "gone"),))
    store.add_samples("r", [(0, sample(0)), (0, sample(1, passed=False)), (0, errored), (1, sample(0, passed=False))])
    assert store.counts("r") == [(0, 1, 2, 1), (1, 0, 1, 0)]
    assert store.count("r") == 4


def test_making_one_store_from_many_processes_at_once(where):
    """Connections that all find nothing make the tables once, between them."""
    opened, failed = [], []
    together = threading.Barrier(12)

    def make():
        together.wait()
        try:
            opened.append(open_store(where, create=True))
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=make) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for store in opened:
        store.add_run(header())
        store.close()
    with open_store(where) as last:
        assert len(last.runs()) == 1
