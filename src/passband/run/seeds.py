"""Counter-based seeds: a sample's seed is a function of who it is, not of when it is drawn."""

from __future__ import annotations

import hashlib

__all__ = ["sample_seed"]

_BITS = 53  # exact in every JSON reader


def sample_seed(run_seed: int, case_id: str, index: int) -> int:
    """Seed of sample `index` of a case, the same whatever the order, the batch or the number of workers.

    Two runs with one `run_seed` give equal seeds to equal samples: common random numbers.

    Parameters
    ----------
    run_seed : int
        The run's seed.
    case_id : str
        The case.
    index : int
        Position of the sample within the case, from 0.

    Returns
    -------
    int
        Between 0 and 2**53 - 1, uniform over them for distinct arguments.
    """
    # The id comes last: it may hold any character, the two numbers cannot hold a slash.
    key = f"passband.seed/1/{run_seed}/{index}/{case_id}".encode()
    return int.from_bytes(hashlib.sha256(key).digest()[:8]) >> (64 - _BITS)
