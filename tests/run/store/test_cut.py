import contextlib
import random
import shutil
import sqlite3

import pytest

from passband.errors import StoreError
from passband.records import Split
from passband.run.store import Store, check_store, merge_files, rescue_store
from passband.run.store.pages import leaf_rows
from tests.run.test_rescue import N, fill

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The id of a run, its samples, and the bytes of the store that holds it."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    header, samples = fill(path)
    return header.run_id, samples, path.read_bytes()


def rescued(path, run_id, samples):
    """How many samples a rescue saves, each of them true, or why there are none; the file stays as it is."""
    before = path.read_bytes()
    saved = path.with_name("saved.db")
    saved.unlink(missing_ok=True)
    try:
        report = rescue_store(path, saved)
    except StoreError as error:
        assert not saved.exists()
        return str(error)
    finally:
        assert path.read_bytes() == before
        assert {entry.name for entry in path.parent.iterdir()} <= {path.name, "saved.db"}
    with Store(saved) as store:
        kept = {(case, sample.index): sample for case, sample in store.samples(run_id)}
    assert all(samples[place] == sample for place, sample in kept.items())
    assert report.saved == ((run_id, len(kept), 8 * N),)
    assert report.samples == len(kept)
    assert check_store(saved).ok
    return len(kept)


def cuts(size):
    """The boundary of every third page, odd places around the first pages, and places within pages."""
    rng = random.Random(5)
    edges = {0, 1, 15, 16, 99, 100, PAGE - 1, PAGE, PAGE + 1, size}
    return sorted(edges | set(range(0, size, 3 * PAGE)) | {rng.randrange(size) for _ in range(15)})


def test_wherever_a_file_was_cut_what_is_left_is_saved(whole, tmp_path):
    """A file cut at any place gives the rows it still has, more of them the later, or says that it has none."""
    run_id, samples, data = whole
    path = tmp_path / "s.db"
    found = {}
    for cut in cuts(len(data)):
        path.write_bytes(data[:cut])
        found[cut] = rescued(path, run_id, samples)
    counts = [number for number in found.values() if isinstance(number, int)]
    assert counts == sorted(counts)
    assert counts[-1] == 8 * N
    reasons = {cut: reason for cut, reason in found.items() if isinstance(reason, str)}
    assert max(reasons) < 2 * PAGE  # the header of the run lies in the second page
    for reason in reasons.values():
        assert any(word in reason for word in ("is empty", "not a Passband store", "nothing in it can be read"))


def test_half_a_file_gives_about_half_of_its_samples(whole, tmp_path):
    """What lies before the cut is saved: a page of records holds the samples it held."""
    run_id, samples, data = whole
    path = tmp_path / "s.db"
    path.write_bytes(data[: len(data) // 2])
    assert 0.35 * 8 * N < rescued(path, run_id, samples) < 0.5 * 8 * N


@pytest.mark.parametrize("page", [1, 4, 5, 6])
def test_the_roots_of_the_tables_are_not_needed(whole, tmp_path, page):
    """Without the page that names the tables, or one that leads to their rows, the rows are found all the same."""
    run_id, samples, data = whole
    path = tmp_path / "s.db"
    path.write_bytes(data[: (page - 1) * PAGE] + b"\xee" * PAGE + data[page * PAGE :])
    assert rescued(path, run_id, samples) == 8 * N


def test_a_run_without_its_header_is_said_to_be_nothing(whole, tmp_path):
    """Records whose run's header is lost can't be counted for anything: the refusal says how many there are."""
    run_id, samples, data = whole
    path = tmp_path / "s.db"
    path.write_bytes(data[:PAGE] + b"\xee" * PAGE + data[2 * PAGE :])
    assert f"{8 * N} records can be read, but no run's header" in rescued(path, run_id, samples)


def test_a_cut_file_keeps_what_its_log_holds(whole, tmp_path):
    """Rows that a killed process had left in the log alone are saved with the file's own, and once each."""
    run_id, samples, data = whole
    path = tmp_path / "live.db"
    path.write_bytes(data)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA wal_autocheckpoint=0")
        rows = list(db.execute("SELECT * FROM records WHERE case_no = 7"))
        db.execute("BEGIN")
        db.execute("DELETE FROM records WHERE case_no = 7")
        db.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)
        db.execute("COMMIT")  # their pages stand in the log now, and nowhere else in this file
        torn = tmp_path / "torn"
        torn.mkdir()
        shutil.copyfile(tmp_path / "live.db-wal", torn / "s.db-wal")
    (torn / "s.db").write_bytes(data[: 10 * PAGE])
    rescue_store(torn / "s.db", torn / "saved.db")
    with Store(torn / "saved.db") as store:
        kept = {(case, sample.index): sample for case, sample in store.samples(run_id)}
    assert {index for case, index in kept if case == 7} == set(range(N))
    assert all(samples[place] == sample for place, sample in kept.items())


def test_what_was_deleted_stays_deleted(whole, tmp_path):
    """Rows on pages that were given back do not come to life again when the file is read page by page."""
    _, _, data = whole
    path = tmp_path / "s.db"
    path.write_bytes(data)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM records WHERE case_no < 6")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (left,) = db.execute("SELECT count(*) FROM records").fetchone()
        db.execute("PRAGMA journal_mode=DELETE")
    rows = [values for _, values in leaf_rows(path) if len(values) == 4 and isinstance(values[1], int) and values[0]]
    assert len(rows) == left
    assert {case for _, case, *_ in rows} == {6, 7}


def test_pages_are_rows_as_sqlite_reads_them(tmp_path):
    """Every kind of value, on one page and on many, is read from the pages as the database gives it."""
    path = tmp_path / "s.db"
    values = [None, 0, 1, -1, 127, -128, 2**15, -(2**23), 2**31 - 1, 2**47, -(2**63), 2**63 - 1, 0.5, -1e300, "", "ä€"]
    values += [b"", b"x" * 100, random.Random(1).randbytes(50_000), "long " * 3000]
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size=1024")
        db.execute("CREATE TABLE t (a, b, c)")
        for place, value in enumerate(values):
            db.execute("INSERT INTO t (rowid, a, b, c) VALUES (?, ?, ?, ?)", (place - 5, place, value, "end"))
        db.commit()
        expected = list(db.execute("SELECT rowid, a, b, c FROM t ORDER BY rowid"))
    found = sorted((row, *cells) for row, cells in leaf_rows(path) if len(cells) == 3)
    assert [(row, a, b, c) for row, a, b, c in found] == expected


def test_noise_is_never_a_row_and_never_a_traceback(whole, tmp_path):
    """Bytes changed all over a file cost samples, make none up, and are survived."""
    run_id, samples, data = whole
    path = tmp_path / "s.db"
    for seed in range(12):
        rng = random.Random(seed)
        torn = bytearray(data)
        for _ in range(rng.choice([3, 30, 300])):
            torn[rng.randrange(len(torn))] = rng.randrange(256)
        path.write_bytes(torn)
        found = rescued(path, run_id, samples)
        assert isinstance(found, str) or 0 <= found <= 8 * N


def split_of(header):
    """A split that makes the run's first case a test set."""
    first, *others = header.case_ids
    return Split(
        suite=header.harness.suite,
        suite_version=header.harness.suite_version,
        by="variant",
        parts={"test": (first,), "train": tuple(others)},
    )


@pytest.mark.parametrize("cut", [False, True])
def test_a_rescue_keeps_the_ledger_and_the_reason_of_a_rule(tmp_path, cut):
    """What was reported of a test set, and that a rule has ended a run, is not lost with the file."""
    path = tmp_path / "s.db"
    header, _ = fill(path)
    with Store(path) as store:
        digest = store.ledger.register(split_of(header), "test")
        store.ledger.record_report(digest, header, "by rule")
        store.settle(header.run_id, enough="narrow")
        entries = store.ledger.entries(digest)
    if cut:
        data = path.read_bytes()
        path.write_bytes(b"\xee" * PAGE + data[PAGE:])
    else:
        with Store(path) as store, store.transaction():
            store.execute("DELETE FROM samples WHERE case_no = 0 AND sample_no = 0")
    rescue_store(path, tmp_path / "saved.db")
    with Store(tmp_path / "saved.db") as saved:
        assert saved.ledger.entries(digest) == entries
        assert saved.table(header.run_id).enough == "narrow"


def test_a_merge_keeps_the_ledgers(tmp_path):
    """The ledger of every source goes into the target, however often it is merged."""
    path = tmp_path / "s.db"
    header, _ = fill(path)
    with Store(path) as store:
        digest = store.ledger.register(split_of(header), "test")
        store.ledger.record_report(digest, header, "by rule")
        entries = store.ledger.entries(digest)
    for _ in range(2):
        merge_files([str(path)], str(tmp_path / "all.db"))
    with Store(tmp_path / "all.db") as merged:
        assert merged.ledger.entries(digest) == entries
