import contextlib
import sqlite3
import threading

import pytest

from passband.errors import StoreError, UnknownNameError
from passband.records import Answer, Fault, Harness, Outcome, RunHeader, Sample, Status, Usage, Verdict
from passband.run import STORE_SCHEMA, Store

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
def store(tmp_path):
    """An open store with one run."""
    with Store(tmp_path / "s.db", create=True) as opened:
        opened.add_run(header())
        yield opened


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
    for name in ("run", "", "zzz"):
        with pytest.raises(UnknownNameError):
            store.find(name)


def test_a_reader_is_not_blocked_by_a_writer(store):
    """While a writer holds its transaction, another connection reads what is committed."""
    store.add_samples("r", [(0, sample())])
    with store._writing(), Store(store.path) as reader:
        assert len(reader.table("r")) == 1


def test_several_writers_at_once(tmp_path):
    """Connections that write the same run at once lose nothing and duplicate nothing."""
    path = tmp_path / "s.db"
    with Store(path, create=True) as first:
        first.add_run(header())

    def write(offset):
        with Store(path) as own:
            for index in range(offset, offset + 40):
                own.add_samples("r", [(0, sample(index))])

    threads = [threading.Thread(target=write, args=(offset,)) for offset in (0, 20, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(path) as last:
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
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path, create=True)


def test_a_full_disk_loses_nothing(store):
    """When the disk is full the write fails as a whole, what was committed stays, and writing works again later."""
    store.add_samples("r", [(0, sample(0))])
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages}")
    big = sample(1, output=Answer(bytes(range(256)) * 4096), trace=({"noise": [str(i * 7919) for i in range(20000)]},))
    with pytest.raises(StoreError, match=r"full.*--resume"):
        store.add_samples("r", [(0, big), (1, sample(0))])
    assert set(store.done("r")) == {(0, 0)}
    store._db.execute("PRAGMA max_page_count=1000000")
    store.add_samples("r", [(0, big)])
    assert set(store.done("r")) == {(0, 0), (0, 1)}


def test_a_damaged_record_is_named(store):
    """A record whose bytes are damaged is an error with its place, not a wrong number."""
    store.add_samples("r", [(0, sample(0))])
    store._db.execute("UPDATE records SET record = x'00112233'")
    with pytest.raises(StoreError, match="case 0, sample 0: holds a damaged record"):
        list(store.samples("r"))
