"""A sample as the store keeps it: a narrow row for what is counted, a compressed record for what is read."""

from __future__ import annotations

import hashlib
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import zstandard

from passband.errors import DataError
from passband.records import RunHeader, Sample, SampleTable, decode, encode

if TYPE_CHECKING:
    from array import array

__all__ = ["Row", "is_whole", "make_row", "pack_columns", "read_record", "unpack_columns"]

_COLUMNS = ("case", "index", "passed", "score", "outcome", "answer", "cost_usd", "tokens", "seconds")
_LARGEST = 2**32
_LOCAL = threading.local()


class Row(NamedTuple):
    """The narrow row, its place first, in the order of the table's columns, and the record last."""

    case_no: int
    sample_no: int
    outcome: int
    score: float | None
    answer: int
    cost_usd: float | None
    tokens: int
    seconds: float
    record: bytes


def _compressor() -> zstandard.ZstdCompressor:
    # One per thread: a compressor costs more to make than a small record to compress, and none may be shared.
    if not hasattr(_LOCAL, "compressor"):
        _LOCAL.compressor = zstandard.ZstdCompressor(write_checksum=True)
    found: zstandard.ZstdCompressor = _LOCAL.compressor
    return found


def make_row(case_no: int, sample: Sample) -> Row:
    """Cut a sample down to its row and pack it whole."""
    answer = hashlib.sha256(sample.output.payload if sample.output else b"").digest()
    return Row(
        case_no=case_no,
        sample_no=sample.index,
        outcome=SampleTable.outcome_code(sample),
        score=sample.verdict.score if sample.verdict else None,
        answer=int.from_bytes(answer[:8], signed=True),
        cost_usd=sample.usage.cost_usd,
        tokens=sample.usage.input_tokens + sample.usage.output_tokens,
        seconds=sample.timing.subject_s + sample.timing.grade_s,
        record=_compressor().compress(encode(sample)),
    )


def read_record(record: bytes, *, where: str) -> Sample:
    """Unpack a record.

    Raises
    ------
    DataError
        Where its bytes are damaged.
    """
    try:
        data = _unpack(record)
    except (zstandard.ZstdError, TypeError) as error:
        raise DataError(f"holds a damaged record: {error}", where=where) from None
    return decode(data, Sample, where=where)


def is_whole(record: bytes) -> bool:
    """Whether a record's bytes are those that were written."""
    try:
        _unpack(record)
    except (zstandard.ZstdError, TypeError):
        return False
    return True


def _unpack(packed: bytes) -> bytes:
    """Decompress, and believe no frame that claims more than any record or run has."""
    size = zstandard.frame_content_size(packed)
    if size > _LARGEST:
        raise zstandard.ZstdError(f"{size:,} bytes are claimed")
    return zstandard.decompress(packed)


def pack_columns(table: SampleTable) -> bytes:
    """All columns of a run in one compressed block: a million rows are read in a blink."""
    return _compressor().compress(msgspec.msgpack.encode([_little(getattr(table, name)) for name in _COLUMNS]))


def unpack_columns(data: bytes, header: RunHeader, *, enough: str = "", where: str) -> SampleTable:
    """Undo :func:`pack_columns`.

    Raises
    ------
    DataError
        Where the block is damaged.
    """
    try:
        blocks = msgspec.msgpack.decode(_unpack(data), type=list[memoryview])  # views: no copy
    except (zstandard.ZstdError, TypeError, msgspec.MsgspecError) as error:
        raise DataError(f"holds damaged columns: {error}", where=where) from None
    table = SampleTable(header, enough=enough)
    for name, block in zip(_COLUMNS, blocks, strict=True):
        column: array[int] | array[float] = getattr(table, name)
        column.frombytes(block)
        if sys.byteorder == "big":
            column.byteswap()
    return table


def _little(column: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()
