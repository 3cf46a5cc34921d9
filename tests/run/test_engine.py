import os
import random
import re
import signal
import sys
import threading
import time

import pytest

from passband.aggregate import summarize
from passband.errors import DataError, StoreError, UsageError
from passband.records import Answer, Fault, Status, Usage
from passband.run import Budget, RetryPolicy, Store, execute, interrupt, make_header, sample_seed
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


@pytest.mark.parametrize(("n", "seed"), [(0, 1), (-1, 1), (1, -1), (1, 2**53), (99_999_999_999, 1)])
def test_senseless_runs_are_refused(n, seed):
    """A run of no samples, or of more than memory has bytes, or with a seed that is none, is a usage error."""
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


class Batch(Coin):
    """A coin that is thrown for a whole batch; `fail` batches fail first."""

    name = "batch"
    batch_size = 5

    def __init__(self, fail=0):
        self.fail, self.sizes, self.singles = fail, [], 0

    def sample(self, view, seed):
        self.singles += 1
        return super().sample(view, seed)

    def sample_batch(self, views, seeds):
        self.sizes.append(len(views))
        if self.fail:
            self.fail -= 1
            raise ConnectionError("the accelerator is gone")
        return [super(Batch, self).sample(view, seed) for view, seed in zip(views, seeds, strict=True)]


def test_a_batch_subject_gives_the_same_samples(store, tmp_path):
    """Asked in batches, a subject gives what it gives one by one; no batch is larger than it likes."""
    subject = Batch()
    with Store(tmp_path / "other.db", create=True) as other:
        assert rows(store, run(store)) == rows(other, run(other, subject=subject))
    assert max(subject.sizes) == 5
    assert sum(subject.sizes) == 24
    assert subject.singles == 0


def test_a_batch_that_fails_is_asked_one_by_one(store):
    """A failed batch costs retries of its samples, none of the samples."""
    subject = Batch(fail=1)
    header = run(store, subject=subject)
    samples = [sample for _, sample in store.samples(header.run_id)]
    assert all(sample.verdict is not None for sample in samples)
    retried = [sample for sample in samples if sample.faults]
    assert len(retried) == subject.singles == subject.sizes[0]
    assert retried[0].faults[0].detail == "ConnectionError: the accelerator is gone"


def paid(tokens=10, dollars=0.5):
    """Make a function whose every answer costs the same."""
    usage = Usage(input_tokens=tokens // 2, output_tokens=tokens - tokens // 2, cost_usd=dollars)
    return FunctionSubject("paid", lambda view, seed: Response(output=Answer(b"1"), usage=usage))


class Ceiling(FunctionSubject):
    """A paid function that knows its most."""

    def ceiling(self, view):
        return Usage(input_tokens=5, output_tokens=5, cost_usd=0.5)


def budgeted(store, subject, budget, *, n=4, workers=4):
    """Run ten coins under a budget and return the header and the progress."""
    suite, grading = coin_suite(10), ExactGrading()
    header = make_header(suite, subject, grading, samples_per_case=n, seed=1, created_at=0.0)
    store.add_run(header)
    progress = execute(
        header, suite, subject, grading, store, workers=workers, on_progress=lambda _: None, budget=budget
    )
    return header, progress


@pytest.mark.parametrize(
    ("budget", "word"), [(Budget(tokens=105), "105 tokens is spent"), (Budget(cost_usd=5.25), "5.25 is spent")]
)
def test_a_budget_is_never_exceeded_where_ceilings_are_known(store, budget, word):
    """With a ceiling a sample, the run stops at the last sample that fits, and says why."""
    subject = Ceiling("paid", paid()._function)
    header, progress = budgeted(store, subject, budget)
    assert len(store.table(header.run_id)) == progress.done == 10
    assert word in progress.stopped


@pytest.mark.parametrize("budget", [Budget(tokens=105), Budget(cost_usd=5.25)])
def test_without_ceilings_the_dearest_sample_so_far_stands_for_the_next(store, budget):
    """Where every sample costs the same, a budget is kept to the sample without a ceiling, also on resuming."""
    _, progress = budgeted(store, paid(), budget, workers=8)
    assert progress.done == 10
    assert progress.stopped
    _, again = budgeted(store, paid(), budget, workers=8)
    assert again.drawn == 0


def test_a_budget_counts_what_earlier_processes_spent(store):
    """Resuming with the same budget draws nothing more; with a larger one, the rest."""
    subject = Ceiling("paid", paid()._function)
    header, _ = budgeted(store, subject, Budget(tokens=100))
    _, again = budgeted(store, subject, Budget(tokens=100))
    assert (again.done, again.drawn) == (10, 0)
    _, more = budgeted(store, subject, Budget(tokens=400))
    assert (more.done, more.stopped) == (40, "")
    assert len(store.table(header.run_id)) == 40


def test_a_time_budget_starts_nothing_after_it(store):
    """When the time is over no sample starts; those under way finish."""
    started = []

    def answer(view, seed):
        started.append(time.monotonic())
        time.sleep(0.05)
        return "1"

    begun = time.monotonic()
    _, progress = budgeted(store, FunctionSubject("f", answer), Budget(wall_s=0.3), n=100, workers=2)
    assert "time budget" in progress.stopped
    assert progress.done == len(started) < 1000
    # What waits at the door when the time is over was admitted before. All of them would take half a minute.
    assert sorted(started)[-3] - begun < 0.3 + 10


def test_a_budget_in_dollars_needs_a_price(store):
    """A budget that cannot be kept is refused at the first sample instead of being ignored."""
    with pytest.raises(UsageError, match="price of a sample is not known.*--resume"):
        budgeted(store, paid(dollars=None), Budget(cost_usd=1.0))


def test_a_budget_in_dollars_needs_the_tokens_of_every_sample(store):
    """Where prices are known, a sample whose tokens nobody counted is named as such."""

    class Uncounted(Coin):
        def ceiling(self, view):
            return Usage(input_tokens=5, output_tokens=5, cost_usd=0.1)

    with pytest.raises(UsageError, match="without the number of its tokens"):
        budgeted(store, Uncounted(), Budget(cost_usd=10.0))


class Unpriced(Coin):
    """A subject that knows that its samples have no price."""

    priced = False


class UnpricedCeiling(Coin):
    """A subject that knows its most in tokens and no price."""

    def ceiling(self, view):
        return Usage(input_tokens=5, output_tokens=5)


@pytest.mark.parametrize("kind", [Unpriced, UnpricedCeiling])
def test_where_no_price_will_be_known_a_budget_in_dollars_is_refused_before_anything_is_asked(store, kind):
    """What can be known beforehand costs no sample."""
    asked = []

    class Asked(kind):
        def sample(self, view, seed):
            asked.append(seed)
            return super().sample(view, seed)

    with pytest.raises(UsageError, match="price of a sample is not known"):
        budgeted(store, Asked(), Budget(cost_usd=1.0))
    assert asked == []


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(tokens=7), r"7 tokens is spent \(0 used; one more sample may take 10\)"),
        (Budget(tokens=105), r"105 tokens is spent \(100 used; one more sample may take 10\)"),
        (Budget(tokens=100), r"100 tokens is spent \(100 used\)"),
        (Budget(cost_usd=0.004), r"\$0.0040 is spent \(\$0.00 used; one more sample may take \$0.50\)"),
    ],
)
def test_a_budget_says_what_is_left_does_not_pay_for(store, budget, words):
    """Where some of a budget is left, the reason to stop is what one more sample may take."""
    _, progress = budgeted(store, Ceiling("paid", paid()._function), budget, workers=1)
    assert re.fullmatch(f"the budget of {words}", progress.stopped)


@pytest.mark.parametrize("budget", [{"tokens": 0}, {"wall_s": -1.0}, {"cost_usd": 0.0}])
def test_senseless_budgets_are_refused(budget):
    """A budget of nothing is a usage error."""
    with pytest.raises(UsageError):
        Budget(**budget)


def test_errors_in_a_row_stop_the_run(store):
    """When nothing works any more the run stops early instead of erroring every sample."""
    asked = []

    def answer(view, seed):
        asked.append(seed)
        raise ConnectionError("no route")

    with pytest.raises(DataError, match=r"20 samples in a row errored: ConnectionError: no route.*--retry-errored"):
        execute_fast(store, coin_suite(200), FunctionSubject("f", answer))
    assert len(store.table(store.find("latest").run_id)) <= 24
    assert len(asked) <= 24 * 3


def execute_fast(store, suite, subject, n=1):
    """Run without waiting between attempts."""
    grading = ExactGrading()
    header = make_header(suite, subject, grading, samples_per_case=n, seed=1, created_at=0.0)
    store.add_run(header)
    execute(
        header, suite, subject, grading, store, workers=2, on_progress=lambda _: None, retry=RetryPolicy(3, base_s=0.0)
    )
    return header


def test_errored_samples_can_be_drawn_again(store):
    """Dropping the errored samples and resuming draws those alone, with the seeds they had."""
    broken = {"c002", "c004"}

    def answer(view, seed):
        if view.id in broken:
            raise ConnectionError("no route")
        return str(seed % 2)

    subject = FunctionSubject("f", answer)
    header = execute_fast(store, coin_suite(), subject)
    before = {place[:3]: place for place in rows(store, header)}
    broken.clear()
    assert store.drop_errored(header.run_id) == 2
    execute_fast(store, coin_suite(), subject)
    after = {place[:3]: place for place in rows(store, header)}
    assert after.keys() == before.keys()
    assert {key[0] for key in after if after[key] != before[key]} == {2, 4}
    assert -1 not in store.table(header.run_id).passed


def test_usage_of_failed_attempts_is_paid_for(store):
    """Tokens of an attempt that failed are part of the sample's usage, and its causes come first."""
    tries = []

    def answer(view, seed):
        tries.append(seed)
        if tries.count(seed) == 1:
            cause = Fault("subject", "HTTP 503")
            raise SubjectFault("the stream was cut", faults=[cause], usage=Usage(input_tokens=7, cost_usd=0.25))
        return Response(output=Answer(b"1"), usage=Usage(input_tokens=5, output_tokens=1, cost_usd=0.5))

    header = execute_fast(store, coin_suite(1), FunctionSubject("f", answer))
    ((_, sample),) = store.samples(header.run_id)
    assert sample.usage == Usage(input_tokens=12, output_tokens=1, cost_usd=0.75)
    assert [fault.detail for fault in sample.faults] == ["HTTP 503", "the stream was cut"]


def test_the_run_stops_where_it_is_told(store, tmp_path):
    """A stopping rule is asked after whole rounds, so that it stops at one place for any number of workers."""

    class Three:
        def __init__(self):
            self.rounds = 0

        def next_round(self):
            return [2] + [1] * 5

        def add_round(self, passed, failed, errored):
            assert [sum(kinds) for kinds in zip(passed, failed, errored, strict=True)] == [2] + [1] * 5
            self.rounds += 1
            return "enough" if self.rounds == 3 else None

    def stopped(where, workers, *, resumed=False):
        suite, grading = coin_suite(), ExactGrading()
        header = make_header(suite, Coin(), grading, samples_per_case=9, seed=1, created_at=0.0)
        where.add_run(header)
        again = {"workers": workers, "on_progress": lambda _: None, "rule": Three()}
        if resumed:  # killed in the middle of a round, then gone on with
            with pytest.raises(RuntimeError):
                execute(header, suite, Coin(), grading, where, **again | {"on_progress": leave(after=10)})
        progress = execute(header, suite, Coin(), grading, where, **again | {"rule": Three()})
        assert progress.stopped == progress.enough == "enough"
        return rows(where, header)

    def leave(after):
        def on_progress(progress):
            if progress.done >= after:
                raise RuntimeError

        return on_progress

    with Store(tmp_path / "other.db", create=True) as other, Store(tmp_path / "third.db", create=True) as third:
        first = stopped(store, 1)
        assert first == stopped(other, 16) == stopped(third, 1, resumed=True)
    assert sorted((case, index) for case, index, *_ in first) == [
        (case, index) for case in range(6) for index in range(6 if case == 0 else 3)
    ]


def test_a_second_interruption_leaves_at_once(store):
    """Ctrl-C twice does not wait for a subject that hangs."""
    hangs = threading.Event()

    def answer(view, seed):
        if view.id == "c001":
            hangs.set()
            time.sleep(60)
        return "1"

    def interrupt():
        hangs.wait()
        for _ in range(2):
            time.sleep(0.6)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(store, coin_suite(2), FunctionSubject("f", answer), n=1)
    assert time.monotonic() - begun < 20
    assert [case for case, *_ in rows(store, store.find("latest"))] == [0]


def test_a_subject_that_exits_is_a_failure_of_the_machinery(store):
    """`sys.exit` in a subject's code ends the sample, not the run, whatever status it asks for."""

    def answer(view, seed):
        sys.exit(0)

    header = run(store, coin_suite(2), FunctionSubject("f", answer), n=1)
    samples = [sample for _, sample in store.samples(header.run_id)]
    assert [sample.status for sample in samples] == [Status.ERRORED] * 2
    assert "SystemExit" in samples[0].faults[-1].detail


def test_sigterm_is_acknowledged_and_has_a_deadline(monkeypatch, capfd):
    """The first SIGTERM is noted and said; work that does not end by itself is left when the grace is over."""
    monkeypatch.setattr(interrupt, "_TERM_GRACE_S", 0.2)
    with interrupt.interruptions() as asked:
        os.kill(os.getpid(), signal.SIGTERM)
        assert asked()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(20)
    assert "finishing what is in flight" in capfd.readouterr().err
