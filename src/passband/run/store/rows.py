"""A sample as the store keeps it: a narrow row for what is counted, a compressed record for what is read."""

from __future__ import annotations

import hashlib
import io
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import zstandard

from passband.errors import DataError
from passband.records import RunHeader, Sample, SampleTable, decode, encode

if TYPE_CHECKING:
    from array import array
    from collections.abc import Generator, Iterable, Iterator

__all__ = [
    "Readable",
    "Row",
    "cut",
    "is_whole",
    "make_row",
    "pack_columns",
    "read_header",
    "read_record",
    "readable",
    "unpack_columns",
]

_LARGEST = 2**32
_PIECE = 2**13  # rows: half a megabyte of columns
_PIECES = b"PasB columns\n"  # no compressed block begins so
_LENGTH = 4  # bytes that a block's length takes
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
    except zstandard.ZstdError as error:
        raise DataError(f"holds a damaged record: {error}", where=where) from None
    return decode(data, Sample, where=where)


def read_header(header: object, *, where: str) -> RunHeader:
    """Read a run's header.

    Raises
    ------
    DataError
        Where it is damaged.
    """
    if not isinstance(header, bytes):
        raise DataError(f"{type(header).__name__} stands in place of its header", where=where)
    return decode(header, RunHeader, where=where)


def is_whole(record: bytes) -> bool:
    """Whether a record's bytes are those that were written."""
    try:
        _unpack(record)
    except zstandard.ZstdError:
        return False
    return True


def _unpack(packed: bytes) -> bytes:
    """Decompress, and believe no frame that claims more than any record or run has."""
    if not isinstance(packed, bytes):
        raise zstandard.ZstdError(f"{type(packed).__name__} stands in place of bytes")
    size = zstandard.frame_content_size(packed)
    if size > _LARGEST:
        raise zstandard.ZstdError(f"{size:,} bytes are claimed")
    return zstandard.decompress(packed)


def cut(rows: Iterable[tuple[Any, ...]], header: RunHeader) -> Iterator[SampleTable]:
    """Gather narrow rows, without their records, in tables of some thousands, cut between cases.

    Raises
    ------
    DataError
        Where a row is damaged.
    """
    cases, indices = range(len(header.case_ids)), range(sys.maxsize)
    table = SampleTable(header)
    for case, index, outcome, score, answer, cost_usd, tokens, seconds in rows:
        if len(table) >= _PIECE and case != table.case[-1]:
            yield table
            table = SampleTable(header)
        if case not in cases or index not in indices:
            raise DataError("is no sample of its run", where=f"case {case}, sample {index}")
        try:
            table.append(
                case=case,
                index=index,
                outcome=outcome,
                score=score,
                answer=answer,
                cost_usd=cost_usd,
                tokens=tokens,
                seconds=seconds,
            )
        except (DataError, TypeError, ValueError, OverflowError) as error:
            raise DataError(f"holds a damaged row: {error}", where=f"case {case}, sample {index}") from None
    yield table


def pack_columns(pieces: Iterable[SampleTable], stream: IO[bytes]) -> int:
    """Pack all columns of a run: a million rows are read in a blink, and no more than a piece at once.

    Parameters
    ----------
    pieces : iterable of SampleTable
        The run.
    stream : file
        Is given a mark, then each piece as a compressed block behind its length.

    Returns
    -------
    int
        Rows.
    """
    rows = 0
    stream.write(_PIECES)
    for piece in pieces:
        rows += len(piece)
        block = _compressor().compress(
            msgspec.msgpack.encode([_little(getattr(piece, name)) for name in SampleTable.COLUMNS])
        )
        stream.write(len(block).to_bytes(_LENGTH) + block)
    return rows


class Readable(Protocol):
    """What can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes, or all that are left."""
        ...


def readable(data: Any, *, where: str) -> Readable:
    """Packed columns that lie in memory, to be read from.

    Raises
    ------
    DataError
        Where they are no bytes.
    """
    if not isinstance(data, bytes):
        raise DataError(f"holds damaged columns: {type(data).__name__} stands in place of bytes", where=where)
    return io.BytesIO(data)


def unpack_columns(
    stream: Readable, header: RunHeader, *, enough: str = "", where: str
) -> Generator[SampleTable, None, None]:
    """Undo :func:`pack_columns`, and read the single block in which runs were packed before there were pieces.

    Raises
    ------
    DataError
        Where a block is damaged.
    """
    mark = stream.read(len(_PIECES))
    if mark != _PIECES:
        yield _unpack_block(mark + stream.read(), header, enough, where)
        return
    while length := stream.read(_LENGTH):
        block = stream.read(int.from_bytes(length))
        if len(block) < int.from_bytes(length):
            raise DataError("holds damaged columns: they end too soon", where=where)
        yield _unpack_block(block, header, enough, where)


def _unpack_block(block: bytes, header: RunHeader, enough: str, where: str) -> SampleTable:
    try:
        columns = msgspec.msgpack.decode(_unpack(block), type=list[memoryview])  # views: no copy
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise DataError(f"holds damaged columns: {error}", where=where) from None
    table = SampleTable(header, enough=enough)
    if len(columns) != len(SampleTable.COLUMNS):
        raise DataError(f"holds damaged columns: {len(columns)} of {len(SampleTable.COLUMNS)}", where=where)
    for name, values in zip(SampleTable.COLUMNS, columns, strict=True):
        column: array[int] | array[float] = getattr(table, name)
        if len(values) * table.case.itemsize != len(columns[0]) * column.itemsize:
            raise DataError(f"holds damaged columns: {name} is of another length", where=where)
        column.frombytes(values)
        if sys.byteorder == "big":
            column.byteswap()
    return table


def _little(column: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()
