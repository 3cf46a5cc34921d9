"""The rows of a SQLite file that SQLite itself refuses: its pages read one by one, as the file format describes them.

A file that was cut, or whose root or inner pages are gone, still has leaves with whole rows in them. Which table a leaf
belongs to nobody says any more; the rows of a store's tables are told by their shape. See "Database File Format",
https://sqlite.org/fileformat2.html, sections 1.5 (freelist), 1.6 (b-tree pages), 2.1 (records) and 4 (the log).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["leaf_rows"]

_MAGIC = b"SQLite format 3\0"
_USUAL = 4096
_LEAF = 0x0D  # of a table with row ids
_WHOLE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type of an integer → its bytes

_Value = int | float | str | bytes | None


class _Pages:
    """The pages of a file, as its log has left them."""

    def __init__(self, file: BinaryIO, log: BinaryIO | None) -> None:
        header = file.read(100)
        whole = header.startswith(_MAGIC) and len(header) == 100
        size = int.from_bytes(header[16:18]) if whole else 0
        size = 65536 if size == 1 else size
        self.size = size if size >= 512 and size & (size - 1) == 0 else _USUAL
        self.usable = self.size - (header[20] if whole and header[20] <= 64 else 0)
        self._file, self._log = file, log
        self.count = -(-file.seek(0, 2) // self.size)
        self._logged = dict(_committed(log, self.size)) if log else {}
        self.count = max([self.count, *self._logged])

    def __getitem__(self, number: int) -> bytes:
        if self._log is not None and number in self._logged:
            self._log.seek(self._logged[number])
            return self._log.read(self.size)
        self._file.seek((number - 1) * self.size)
        return self._file.read(self.size)

    def free(self) -> set[int]:
        """Pages that hold nothing any more: what they show was deleted."""
        found: set[int] = set()
        trunk = int.from_bytes(self[1][32:36])
        while 0 < trunk <= self.count and trunk not in found:
            found.add(trunk)
            page = self[trunk]
            number = min(int.from_bytes(page[4:8]), self.size // 4 - 2)
            found.update(struct.unpack_from(f">{number}I", page.ljust(self.size, b"\0"), 8))
            trunk = int.from_bytes(page[:4])
        return found


def _committed(log: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """Page number and offset in the log of every page of a committed transaction; the last of a number counts."""
    header = log.read(32)
    pending: list[tuple[int, int]] = []
    while len(frame := log.read(24)) == 24:
        number, commits = struct.unpack_from(">II", frame)
        if frame[8:16] != header[16:24]:  # of an earlier life of the log
            return
        pending.append((number, log.tell()))
        log.seek(size, 1)
        if commits:
            yield from pending
            pending = []


def leaf_rows(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """Every whole row of every table with row ids, whichever it is: the row's id and its values.

    Parameters
    ----------
    path : Path
        A SQLite file in whatever state. It is only read, and so is its log.
    """
    beside = path.with_name(f"{path.name}-wal")
    with path.open("rb") as file:
        log = beside.open("rb") if beside.is_file() else None
        try:
            pages = _Pages(file, log)
            free = pages.free()
            for number in range(1, pages.count + 1):
                if number not in free:
                    yield from _cells(pages, number)
        finally:
            if log is not None:
                log.close()


def _cells(pages: _Pages, number: int) -> Iterator[tuple[int, list[_Value]]]:
    page = pages[number]
    start = 100 if number == 1 else 0
    if len(page) < start + 8 or page[start] != _LEAF:
        return
    for place in range(int.from_bytes(page[start + 3 : start + 5])):
        pointer = int.from_bytes(page[start + 8 + 2 * place : start + 10 + 2 * place])
        try:
            length, at = _varint(page, pointer)
            row, at = _varint(page, at)
            yield row - (row >> 63 << 64), _record(_payload(pages, page, at, length))
        except (LookupError, ValueError, struct.error):  # cut off, or noise
            continue


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _payload(pages: _Pages, page: bytes, at: int, length: int) -> bytes:
    """A row's bytes, those on further pages too."""
    if length > pages.count * pages.size:
        raise ValueError("longer than the file")
    usable = pages.usable
    if length <= usable - 35:
        return _exactly(page[at : at + length], length)
    least = (usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (usable - 4)
    local = local if local <= usable - 35 else least
    parts = [_exactly(page[at : at + local], local)]
    follows = int.from_bytes(_exactly(page[at + local : at + local + 4], 4))
    left = length - local
    while left > 0:
        if not 0 < follows <= pages.count:
            raise ValueError("its next page is gone")
        further = pages[follows]
        take = min(left, usable - 4)
        parts.append(_exactly(further[4 : 4 + take], take))
        follows = int.from_bytes(further[:4])
        left -= take
    return b"".join(parts)


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise ValueError("cut off")
    return data


def _record(payload: bytes) -> list[_Value]:
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[_Value] = []
    for kind in kinds:
        size = _WHOLE.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        values.append(_value(kind, _exactly(payload[at : at + size], size)))
        at += size
    return values


def _value(kind: int, data: bytes) -> _Value:
    if kind in _WHOLE:
        return int.from_bytes(data, signed=True)
    if kind == 7:
        return float(struct.unpack(">d", data)[0])
    if kind >= 12:
        return data.decode() if kind % 2 else data
    return {0: None, 8: 0, 9: 1}[kind]
