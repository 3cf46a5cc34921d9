import pytest

from jobs import JobQueue, Worker
from jobs.job import Job


def names(queue):
    return [queue.take().name for _ in range(len(queue))]


def test_equal_priority_is_first_come_first_served():
    queue = JobQueue()
    for name in ["backup", "index", "report"]:
        queue.put(Job(name))
    assert names(queue) == ["backup", "index", "report"]


def test_drain_keeps_the_order_of_arrival():
    queue = JobQueue()
    for name, priority in [("a", 0), ("b", 1), ("c", 0), ("d", 1)]:
        queue.put(Job(name, priority))
    worker = Worker(queue)
    worker.drain()
    assert worker.done == ["b", "d", "a", "c"]


def test_requeued_job_waits_behind_its_equals():
    queue = JobQueue()
    trouble = iter([True, False])

    def shaky():
        if next(trouble):
            raise RuntimeError("not yet")

    queue.put(Job("shaky", action=shaky))
    queue.put(Job("steady"))
    queue.put(Job("last"))
    worker = Worker(queue)
    worker.drain()
    assert worker.done == ["steady", "last", "shaky"]


def test_higher_priority_overtakes():
    queue = JobQueue()
    for priority in [1, 3, 2, -1]:
        queue.put(Job(f"p{priority}", priority))
    assert names(queue) == ["p3", "p2", "p1", "p-1"]


def test_many_jobs_of_one_priority_are_all_handed_out():
    queue = JobQueue()
    for i in range(50):
        queue.put(Job(str(i)))
    assert sorted(map(int, names(queue))) == list(range(50))


def test_failing_job_gives_up():
    queue = JobQueue()
    queue.put(Job("bad", action=lambda: 1 / 0))
    worker = Worker(queue, max_attempts=3)
    worker.drain()
    assert (worker.done, worker.failed) == ([], ["bad"])


def test_empty_queue():
    with pytest.raises(LookupError):
        JobQueue().take()
