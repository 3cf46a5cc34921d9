from pathlib import Path

import pytest

from passband.errors import StoreError
from passband.records import Fault, Sample, Status
from passband.run import Store, open_store
from passband.run.store import merge_files, merge_store
from tests.stored import store_run

from .test_store import header, sample


def errored(index):
    """Make an errored sample."""
    return Sample(
        index=index, seed=5, output=None, verdict=None, status=Status.ERRORED, faults=(Fault("subject", "gone"),)
    )


@pytest.fixture
def other(tmp_path):
    """Another store, as of another machine."""
    with Store(tmp_path / "other.db", create=True) as opened:
        yield opened


def test_parts_of_a_run_become_one(any_store, other):
    """What each machine has drawn is in the merged run; what both have drawn is there once."""
    any_store.add_run(header())
    any_store.add_samples("r", [(0, sample(0)), (0, sample(1))])
    other.add_run(header(created_at=9.0))
    other.add_samples("r", [(0, sample(1)), (1, sample(0)), (1, sample(1, passed=False))])
    other.add_run(header("r2"))
    report = merge_store(other, any_store)
    assert (report.runs, report.added, report.same, report.replaced, report.conflicts) == (2, 2, 1, 0, ())
    assert [(case, s.index, s.verdict.passed) for case, s in any_store.samples("r")] == [
        (0, 0, True),
        (0, 1, True),
        (1, 0, True),
        (1, 1, False),
    ]
    assert any_store.has_run("r2")
    again = merge_store(other, any_store)
    assert (again.added, again.same) == (0, 3)


def test_a_run_that_its_rule_ended_is_whole_where_it_goes(any_store, other):
    """A run with enough samples stays one when it is merged, twice too, and is open again where samples are added."""
    other.add_run(header())
    other.add_samples("r", [(0, sample(0)), (1, sample(0))])
    other.settle("r", enough="narrow")
    for _ in range(2):
        merge_store(other, any_store)
        assert any_store.table("r").enough == "narrow"
        assert any_store.runs()[0].scheduled == 2
    any_store.add_samples("r", [(0, sample(1))])
    assert any_store.table("r").enough == ""
    assert any_store.runs()[0].scheduled == 4


def test_an_outcome_takes_the_place_of_an_error(any_store, other):
    """An errored sample gives way to one that was drawn elsewhere, and never the other way round."""
    any_store.add_run(header())
    any_store.add_samples("r", [(0, errored(0)), (0, sample(1))])
    any_store.settle("r")
    other.add_run(header())
    other.add_samples("r", [(0, sample(0)), (0, errored(1))])
    report = merge_store(other, any_store)
    assert (report.added, report.replaced, report.conflicts) == (0, 1, ())
    assert list(any_store.table("r").passed) == [1, 1]
    assert [s.status for _, s in any_store.samples("r")] == [Status.COMPLETED] * 2


def test_contradictions_are_named_and_change_nothing(any_store, other):
    """Two outcomes of one sample are a conflict: the target's stays, and the sample is named."""
    any_store.add_run(header())
    any_store.add_samples("r", [(1, sample(0, passed=True))])
    other.add_run(header())
    other.add_samples("r", [(1, sample(0, passed=False))])
    assert merge_store(other, any_store).conflicts == ("r, b, sample 0",)
    assert list(any_store.table("r").passed) == [1]


def test_two_runs_of_one_name_are_not_mixed(any_store, other):
    """A run that is not the same in both stores is refused whole."""
    import msgspec

    any_store.add_run(header())
    other.add_run(msgspec.structs.replace(header(), seed=1))
    other.add_samples("r", [(0, sample(0))])
    with pytest.raises(StoreError, match="another run"):
        merge_store(other, any_store)
    assert any_store.count("r") == 0


def test_a_file_goes_to_a_server_and_back(where, tmp_path):
    """Merged into any engine and out of it again, a run is what it was."""
    with Store(tmp_path / "a.db", create=True) as first:
        first.add_run(header())
        first.add_samples("r", [(0, sample(0)), (1, errored(1))])
        with open_store(where, create=True) as middle, Store(tmp_path / "b.db", create=True) as last:
            merge_store(first, middle)
            merge_store(middle, last)
            assert list(last.samples("r")) == list(first.samples("r"))
            assert last.find("r") == first.find("r")


def test_a_merge_that_fails_leaves_nothing_behind(tmp_path):
    """Where a source is damaged, missing or another run, a new output is not there and an old one is as it was."""
    whole, broken, clash = (str(tmp_path / name) for name in ("whole.db", "broken.db", "clash.db"))
    cases = {f"c{i}": "PF" * 100 for i in range(6)}
    store_run(whole, "one", cases)
    store_run(broken, "two", cases)
    store_run(clash, "one", cases, seed=5)
    data = bytearray(Path(broken).read_bytes())
    for page in range(len(data) // 8192, len(data) // 4096):
        data[4096 * page : 4096 * (page + 1)] = b"\xee" * 4096
    Path(broken).write_bytes(data)
    old = tmp_path / "old.db"
    store_run(old, "old", cases)
    for bad in (broken, clash, str(tmp_path / "none.db")):
        with pytest.raises(StoreError):
            merge_files([whole, bad], str(tmp_path / "new.db"))
        with pytest.raises(StoreError):
            merge_files([whole, bad], str(old))
        with open_store(str(old)) as store:
            assert [row.header.run_id for row in store.runs()] == ["old"]
    assert not list(tmp_path.glob("new.db*"))
    assert merge_files([whole], str(tmp_path / "new.db"))[whole].added == 1200


def test_several_stores_in_one_transaction(any_store, other, tmp_path):
    """An outcome of a later store takes the place of an earlier one's error, in either engine."""
    other.add_run(header())
    other.add_samples("r", [(0, errored(0))])
    with open_store(str(tmp_path / "third.db"), create=True) as third:
        third.add_run(header())
        third.add_samples("r", [(0, sample(0, passed=True))])
        with any_store.transaction():
            merge_store(other, any_store)
            merge_store(third, any_store)
    assert list(any_store.table("r").passed) == [1]
