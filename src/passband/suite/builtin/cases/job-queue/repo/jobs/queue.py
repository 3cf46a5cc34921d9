"""The waiting line."""

import heapq

from jobs.job import Job


class JobQueue:
    """Hands out the job of highest priority; among equals, by arrival."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Job]] = []
        self._arrivals = 0

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, job: Job) -> None:
        self._arrivals += 1
        heapq.heappush(self._heap, (-job.priority, -self._arrivals, job))

    def take(self) -> Job:
        """Remove and return the next job."""
        if not self._heap:
            raise LookupError("no job is waiting")
        return heapq.heappop(self._heap)[-1]
