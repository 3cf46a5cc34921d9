"""Who does the work."""

from jobs.queue import JobQueue


class Worker:
    """Runs jobs one by one and notes what was done."""

    def __init__(self, queue: JobQueue, max_attempts: int = 2) -> None:
        self.queue = queue
        self.max_attempts = max_attempts
        self.done: list[str] = []
        self.failed: list[str] = []

    def drain(self) -> None:
        """Work until the queue is empty; a job that raises is put back for another attempt."""
        while len(self.queue):
            job = self.queue.take()
            job.attempts += 1
            try:
                job.action()
            except Exception:
                if job.attempts < self.max_attempts:
                    self.queue.put(job)
                else:
                    self.failed.append(job.name)
            else:
                self.done.append(job.name)
