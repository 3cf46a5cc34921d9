import contextlib
import random
import sqlite3

import pytest

from passband.errors import StoreError
from passband.records import Answer
from passband.run import Store, execute, make_header
from passband.run.store import check_store, rescue_store
from passband.subject import FunctionSubject, Response

from .doubles import ExactGrading, coin_suite

N = 40


def answer(view, seed):
    """Answer with a trace of some size, so that records fill pages."""
    noise = random.Random(seed).randbytes(300).hex()
    return Response(output=Answer(b"1" if seed % 4 else b"0"), trace=({"noise": noise},))


def fill(path):
    """Make a store of one run with eight cases and return the run's header and its samples."""
    suite, grading, subject = coin_suite(8), ExactGrading(), FunctionSubject("f", answer)
    header = make_header(suite, subject, grading, samples_per_case=N, seed=1, created_at=1.0)
    with Store(path, create=True) as store:
        store.add_run(header)
        execute(header, suite, subject, grading, store, workers=2, on_progress=lambda _: None)
        return header, {(case, s.index): s for case, s in store.samples(header.run_id)}


def damage(path, seed):
    """Overwrite one page with noise, but the first and the run's header, without which nothing can be saved."""
    rng = random.Random(seed)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * rng.randrange(2, size // 4096))
        file.write(rng.randbytes(4096))


def test_a_whole_store_is_found_whole(tmp_path):
    """A check of an undamaged store counts everything, finds nothing and writes nothing."""
    path = tmp_path / "s.db"
    fill(path)
    before = path.read_bytes()
    found = check_store(path)
    assert (found.runs, found.samples, found.problems) == (1, 8 * N, ())
    assert path.read_bytes() == before


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_page_is_found_and_the_rest_rescued(tmp_path, seed):
    """One destroyed page is detected; what is rescued is true, and resuming from it gives the whole run again."""
    path, saved = tmp_path / "s.db", tmp_path / "saved.db"
    header, whole = fill(path)
    damage(path, seed)
    assert not check_store(path).ok
    report = rescue_store(path, saved)
    with Store(saved) as store:
        kept = {(case, s.index): s for case, s in store.samples(header.run_id)}
        assert len(kept) == report.samples
        assert all(whole[place] == sample for place, sample in kept.items())
        suite, grading = coin_suite(8), ExactGrading()
        execute(header, suite, FunctionSubject("f", answer), grading, store, workers=2, on_progress=lambda _: None)
        again = {(case, s.index): (s.seed, s.output, s.verdict, s.trace) for case, s in store.samples(header.run_id)}
    assert again == {place: (s.seed, s.output, s.verdict, s.trace) for place, s in whole.items()}
    assert check_store(saved).ok


def test_one_damaged_page_costs_few_samples(tmp_path):
    """Most of a store survives a destroyed page of records."""
    saved = []
    for seed in range(8):
        path = tmp_path / f"{seed}.db"
        fill(path)
        damage(path, seed)
        saved.append(rescue_store(path, tmp_path / f"{seed}-saved.db").samples)
    assert sorted(saved)[len(saved) // 2] > 0.9 * 8 * N


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("UPDATE samples SET outcome = 2 WHERE outcome = 1 AND case_no = 3 AND sample_no < 20", "contradicts"),
        ("DELETE FROM samples WHERE case_no = 2 AND sample_no = 1", "its row is missing"),
        ("DELETE FROM records WHERE case_no = 2 AND sample_no = 1", "its record is missing"),
        ("UPDATE records SET record = x'00' WHERE case_no = 2 AND sample_no = 1", "damaged record"),
        ("UPDATE records SET run = 7 WHERE case_no = 2 AND sample_no = 1", "belongs to no run"),
    ],
)
def test_rows_and_records_must_agree(tmp_path, sql, word):
    """A row without its record, a record without its row, or two that contradict each other are named."""
    path = tmp_path / "s.db"
    fill(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()
    problems = check_store(path).problems
    assert any(word in text for text in problems)


def test_what_is_no_store_is_refused(tmp_path):
    """Neither a missing file, nor text, nor another database can be checked; a rescue overwrites nothing."""
    text = tmp_path / "text"
    text.write_text("hello" * 3000)
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE t (x)")
    for path in (tmp_path / "none", text, other):
        with pytest.raises(StoreError):
            check_store(path)
    fill(tmp_path / "s.db")
    with pytest.raises(StoreError, match="there already"):
        rescue_store(tmp_path / "s.db", other)
