"""Part of a run: some of its cases, as a run of its own."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from passband.records import SampleTable

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["restrict"]


def restrict(table: SampleTable, cases: Iterable[str]) -> SampleTable:
    """Keep the named cases of a run, in the run's order; names it does not have are passed over.

    Parameters
    ----------
    table : SampleTable
        A run.
    cases : iterable of str
        Ids to keep.

    Returns
    -------
    SampleTable
        With the header's cases and slices restricted alike.
    """
    wanted = set(cases)
    header = table.header
    kept = np.array([case in wanted for case in header.case_ids], dtype=np.bool_)
    place = np.cumsum(kept) - 1
    rows = kept[np.asarray(table.case, dtype=np.int64)] if len(table) else np.empty(0, np.bool_)
    columns = {}
    for name in SampleTable.COLUMNS:
        column = getattr(table, name)
        values = np.asarray(column)[rows]
        columns[name] = array(column.typecode, (place[values] if name == "case" else values).tolist())
    sliced = len(header.case_slices) == len(header.case_ids)
    made = msgspec.structs.replace(
        header,
        case_ids=tuple(case for case, keep in zip(header.case_ids, kept, strict=True) if keep),
        case_slices=tuple(s for s, keep in zip(header.case_slices, kept, strict=True) if keep) if sliced else (),
    )
    return SampleTable(made, enough=table.enough, **columns)
