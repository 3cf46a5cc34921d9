import hashlib

from hypothesis import given
from hypothesis import strategies as st

from passband.run import sample_seed


def test_a_seed_is_the_hash_of_who_the_sample_is():
    """The seed follows from run seed, index and case by the documented rule, and from nothing else."""
    digest = hashlib.sha256(b"passband.seed/1/7/3/add-bug").digest()
    assert sample_seed(7, "add-bug", 3) == int.from_bytes(digest, "big") >> (256 - 53)


@given(st.integers(0, 2**53 - 1), st.text(min_size=1, max_size=20), st.integers(0, 10**6))
def test_seeds_are_exact_in_json(run_seed, case_id, index):
    """Every seed is an integer that all JSON readers keep."""
    assert 0 <= sample_seed(run_seed, case_id, index) < 2**53


def test_seeds_do_not_collide():
    """Over cases, indices and run seeds whose names run into each other, all seeds differ."""
    names = ["1", "11", "1/1", "/1", "a", "a/", "0/a"]
    seeds = [sample_seed(run, name, index) for run in range(12) for name in names for index in range(12)]
    assert len(set(seeds)) == len(seeds)
