from jobs import JobQueue, Worker
from jobs.job import Job


def test_high_priority_first():
    queue = JobQueue()
    queue.put(Job("later"))
    queue.put(Job("now", priority=5))
    assert queue.take().name == "now"


def test_worker_runs_the_action():
    seen = []
    queue = JobQueue()
    queue.put(Job("one", action=lambda: seen.append(1)))
    Worker(queue).drain()
    assert seen == [1]
