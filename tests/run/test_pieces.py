"""A run is read, packed and unpacked in pieces, so that memory does not grow with its samples."""

from __future__ import annotations

import msgspec
import pytest
import zstandard

from passband.records import RunHeader
from passband.run import open_store
from passband.run.store import columns as column_store
from passband.run.store import rows
from tests.stored import store_run

CASES = {"a": "PFPF", "b": "P", "c": "FFFE", "d": "", "e": "PP"}


@pytest.fixture
def settled(tmp_path, monkeypatch):
    """A store with a run that is packed in pieces of a few rows."""
    monkeypatch.setattr(rows, "_PIECE", 3)
    path = tmp_path / "s.db"
    store_run(path, "r", CASES)
    with open_store(str(path)) as store:
        yield store


def columns(table):
    """The columns of a table, as bytes."""
    return [getattr(table, name).tobytes() for name in table.COLUMNS]


def test_pieces_are_cut_between_cases(settled):
    """No case is in two pieces, whether they come from rows or from what was packed, and both are the same."""
    from_rows = list(settled.pieces("r"))
    settled.settle("r")
    packed = list(settled.pieces("r"))
    assert [list(piece.case) for piece in from_rows] == [[0, 0, 0, 0], [1, 2, 2, 2, 2], [4, 4]]
    assert list(map(columns, packed)) == list(map(columns, from_rows))


def test_columns_are_packed_on_disk_as_in_memory(settled, monkeypatch):
    """A long run is packed into the same bytes by way of a file."""
    packed = []
    for rows_in_memory in (100_000, 0):
        monkeypatch.setattr(column_store, "_IN_MEMORY", rows_in_memory)
        settled.settle("r")
        packed += settled.query("SELECT rows, data FROM columns")
    assert packed[0] == packed[1]
    assert packed[0][0] == 11


def test_a_table_is_its_pieces(settled):
    """The whole table has the rows of all pieces in order, before and after packing."""
    before = settled.table("r")
    settled.settle("r", enough="narrow")
    after = settled.table("r")
    assert list(after.index) == [0, 1, 2, 3, 0, 0, 1, 2, 3, 0, 1]
    assert columns(after) == columns(before)
    assert (before.enough, after.enough) == ("", "narrow")


def test_a_run_without_samples_is_one_empty_piece(settled):
    """Whoever folds a run meets its header, even where nothing is drawn."""
    settled.add_run(msgspec.structs.replace(settled.find("r"), run_id="empty"))
    for _ in range(2):
        (piece,) = settled.pieces("empty")
        assert (len(piece), piece.header.run_id) == (0, "empty")
        settled.settle("empty")


def spoilt(settled, change):
    """Pack the run and change the packed bytes."""
    settled.settle("r")
    ((data,),) = settled.query("SELECT data FROM columns")
    with settled.transaction():
        settled.execute("UPDATE columns SET data = ?", (change(data),))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-9],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:14] + bytes([data[14] ^ 8]) + data[15:],
        lambda data: data + b"\\0\\0",
        lambda _data: b"",
    ],
    ids=["cut", "last block", "length", "more", "nothing"],
)
def test_damaged_pieces_are_no_loss(settled, change):
    """What cannot be unpacked is read from the rows, and no row comes twice."""
    expected = columns(settled.table("r"))
    spoilt(settled, change)
    assert columns(settled.table("r")) == expected


def test_columns_of_earlier_versions_are_read(settled):
    """Runs were packed in one block before there were pieces: they read as ever."""
    table = settled.table("r")
    one = zstandard.ZstdCompressor(write_checksum=True).compress(msgspec.msgpack.encode(columns(table)))
    spoilt(settled, lambda _data: one)
    with settled.transaction():
        settled.execute("DELETE FROM samples")  # so that nothing but the block can have been read
    (piece,) = settled.pieces("r")
    assert columns(piece) == columns(table)
    assert isinstance(piece.header, RunHeader)
