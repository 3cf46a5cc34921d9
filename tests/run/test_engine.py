import os
import random
import signal
import threading
import time

import pytest

from passband.aggregate import summarize
from passband.errors import DataError, StoreError, UsageError
from passband.records import Answer, Status
from passband.run import Store, execute, make_header, sample_seed
from passband.subject import FunctionSubject, Response, SubjectFault

from .doubles import Coin, ExactGrading, coin_suite


def run(store, suite=None, subject=None, grading=None, *, n=4, seed=1, workers=2, on_progress=lambda _: None):
    """Run a suite into a store and return the header."""
    suite, subject, grading = suite or coin_suite(), subject or Coin(), grading or ExactGrading()
    header = make_header(suite, subject, grading, samples_per_case=n, seed=seed, created_at=0.0)
    store.add_run(header)
    execute(header, suite, subject, grading, store, workers=workers, on_progress=on_progress)
    return header


def rows(store, header):
    """All samples without their times."""
    return [(case, s.index, s.seed, s.output, s.verdict, s.status) for case, s in store.samples(header.run_id)]


@pytest.fixture
def store(tmp_path):
    """An empty open store."""
    with Store(tmp_path / "s.db", create=True) as opened:
        yield opened


def test_every_sample_is_drawn_once(store):
    """N samples of every case are stored, each with the seed that is its own."""
    header = run(store)
    found = rows(store, header)
    assert [(case, index) for case, index, *_ in found] == [(case, index) for case in range(6) for index in range(4)]
    assert all(seed == sample_seed(1, header.case_ids[case], index) for case, index, seed, *_ in found)


@pytest.mark.parametrize("workers", [1, 3, 16])
def test_the_samples_do_not_depend_on_the_workers(store, tmp_path, workers):
    """Any number of workers gives the same samples."""
    with Store(tmp_path / "other.db", create=True) as other:
        assert rows(store, run(store, workers=2)) == rows(other, run(other, workers=workers))


def test_a_case_keeps_its_samples_in_a_larger_suite(store, tmp_path):
    """Adding cases to a suite moves no sample of the others."""
    with Store(tmp_path / "other.db", create=True) as other:
        small = rows(store, run(store, coin_suite(3)))
        large = rows(other, run(other, coin_suite(9)))
    assert large[: len(small)] == small


def test_resuming_draws_only_what_is_missing(store):
    """A resumed run asks for the missing samples alone and ends as an uninterrupted one."""
    asked = []

    def answer(view, seed):
        asked.append((view.id, seed))
        return "1"

    subject = FunctionSubject("f", answer)
    header = run(store, subject=subject)
    whole = rows(store, header)
    missing = random.Random(3).sample([(case, index) for case, index, *_ in whole], 7)
    for case, index in missing:
        for name in ("samples", "records"):
            store._db.execute(f"DELETE FROM {name} WHERE case_no = ? AND sample_no = ?", (case, index))
    asked.clear()
    run(store, subject=subject)
    assert len(asked) == 7
    assert rows(store, header) == whole


def test_progress_counts_what_is_durable(store, tmp_path):
    """Whatever progress reports as done is in the file for another process to read."""
    path = store.path

    def check(progress):
        with Store(path) as reader:
            assert progress.done == len(reader.table(reader.find("latest").run_id))

    run(store, on_progress=check)


def test_machinery_failures_are_retried_with_their_causes(store):
    """A fault that goes away costs retries, not a sample; its cause is stored."""
    header = run(store, grading=ExactGrading({b"1": 2}))
    samples = [sample for _, sample in store.samples(header.run_id)]
    assert all(sample.status is Status.COMPLETED for sample in samples)
    assert sum(len(sample.faults) for sample in samples) == 2


def test_lasting_failures_are_errored_and_never_a_zero(store):
    """After the last attempt a sample is stored as errored, is in no rate, and shows in the bounds."""

    def answer(view, seed):
        if view.id == "c000":
            raise ConnectionError("no route")
        return "1"

    header = run(store, subject=FunctionSubject("f", answer), n=2)
    summary = summarize(store.table(header.run_id))
    assert summary.pass_at_1.value == 1.0
    assert (summary.errors.errored, summary.errors.graded) == (2, 10)
    assert (summary.errors.worst, summary.errors.best) == (10 / 12, 1.0)
    errored = [sample for _, sample in store.samples(header.run_id, 0)]
    assert [fault.detail for fault in errored[0].faults] == ["ConnectionError: no route"] * 3


def test_a_fault_that_cannot_be_mended_stops_the_run(store):
    """A fault that every sample would meet stops the run at once instead of burning the budget."""
    asked = []

    def answer(view, seed):
        asked.append(seed)
        raise SubjectFault("the key is refused", retryable=False)

    with pytest.raises(DataError, match="the key is refused"):
        run(store, coin_suite(50), FunctionSubject("f", answer))
    assert len(asked) < 10
    assert not store.table(store.find("latest").run_id)


def test_a_full_disk_stops_the_run_and_resuming_finishes_it(store):
    """A write that fails ends the run with one error; what was stored stays and the rest follows later."""

    def answer(view, seed):
        noise = random.Random(seed).randbytes(4096).hex()  # does not compress to nothing
        return Response(output=Answer(b"1"), trace=({"noise": noise},))

    subject = FunctionSubject("f", answer)
    run(store, coin_suite(2), subject, n=1)
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages + 20}")
    with pytest.raises(StoreError, match="full"):
        run(store, coin_suite(20), subject)
    stored = len(store.table(store.find("latest").run_id))
    assert stored < 80
    store._db.execute("PRAGMA max_page_count=1000000")
    assert len(store.table(run(store, coin_suite(20), subject).run_id)) == 80


def test_an_interruption_keeps_what_is_in_flight(store):
    """Ctrl-C starts nothing new, stores what is under way, and is raised again."""
    started = []

    def answer(view, seed):
        started.append(seed)
        if len(started) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        return "1"

    with pytest.raises(KeyboardInterrupt):
        run(store, coin_suite(40), FunctionSubject("f", answer))
    seeds = {sample.seed for _, sample in store.samples(store.find("latest").run_id)}
    assert seeds == set(started)
    assert len(started) < 20


def test_subjects_are_asked_in_parallel(store):
    """With w workers, w samples are under way at once."""
    barrier = threading.Barrier(4, timeout=20)

    def answer(view, seed):
        barrier.wait()
        return "1"

    header = run(store, coin_suite(4), FunctionSubject("f", answer), n=2, workers=4)
    assert len(store.table(header.run_id)) == 8


@pytest.mark.parametrize(("n", "seed"), [(0, 1), (-1, 1), (1, -1), (1, 2**53)])
def test_senseless_runs_are_refused(n, seed):
    """A run of no samples, or with a seed that is none, is a usage error."""
    with pytest.raises(UsageError):
        make_header(coin_suite(), Coin(), ExactGrading(), samples_per_case=n, seed=seed, created_at=0.0)


def test_the_run_id_names_the_run():
    """The same command gives the same id; another suite, subject, seed or n gives another."""

    def make(suite=None, n=4, seed=1, subject=None):
        header = make_header(
            suite or coin_suite(),
            subject or Coin(),
            ExactGrading(),
            samples_per_case=n,
            seed=seed,
            created_at=time.time(),
        )
        return header.run_id

    other = FunctionSubject("coin", lambda view, seed: "1")
    ids = [make(), make(coin_suite(5)), make(n=5), make(seed=2), make(subject=other)]
    assert make() == ids[0]
    assert len(set(ids)) == len(ids)
