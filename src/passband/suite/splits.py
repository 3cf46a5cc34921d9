"""Splits: by variant, by group, by time. A case's part follows from what it shows a subject, and from nothing else."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from passband.errors import SuiteError, UsageError
from passband.records import EvalCase, Split, content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from passband.suite.evalsuite import EvalSuite

__all__ = ["part_of", "split_by_group", "split_by_time", "split_by_variant", "split_key"]

_REST = "train"
_SALTS = 2000
_PLAIN = re.compile(r"\w[\w-]*")


def split_key(case: EvalCase) -> str:
    """Digest of what a case shows a subject: its inputs and workspace.

    A corrected reference or hidden test does not move a case to another part, nor does a new id; and two cases with
    equal inputs always land in one part.
    """
    content = {
        "inputs": case.inputs,
        "workspace": {path: hashlib.sha256(data).hexdigest() for path, data in case.workspace.items()},
    }
    return content_digest("passband.split.key", 1, content, where=f"case {case.id}")


def part_of(key: str, shares: Mapping[str, float], salt: int) -> str:
    """Part of a key: a number in [0, 1) made of it, against the cumulated shares; what is left is ``train``."""
    digest = hashlib.sha256(f"passband.split/1\n{salt}\n{key}".encode()).digest()
    place = int.from_bytes(digest[:8]) / 2**64
    for part, share in shares.items():
        if place < share:
            return part
        place -= share
    return _REST


def split_by_variant(
    suite: EvalSuite, shares: Mapping[str, float], *, stratify: str | None = None, salt: int | None = None
) -> Split:
    """Hold out single cases: a question about other cases of the kinds that were seen.

    Parameters
    ----------
    suite : EvalSuite
        What is split.
    shares : mapping of str to float
        Part → share of the cases, for example ``{"test": 0.3, "validation": 0.2}``; the rest is ``train``.
    stratify : str, optional
        A slice whose values are each to be split in these shares. A salt is searched that comes closest: once, and
        then kept, so that a case that is added later moves no other.
    salt : int, optional
        The salt of an earlier split, to grow it.

    Returns
    -------
    Split

    Raises
    ------
    UsageError
        For shares that make no sense, a part whose name is not plain, or a slice that is not there.
    """
    shares = _checked(shares)
    keys = {case.id: split_key(case) for case in suite}
    strata = _values(suite, stratify) if stratify is not None else {case.id: "" for case in suite}
    chosen = salt if salt is not None else _balanced(keys, strata, shares)
    parts = {case: part_of(key, shares, chosen) for case, key in keys.items()}
    return _made(suite, parts, shares, by="variant", salt=chosen, stratify=stratify)


def split_by_group(suite: EvalSuite, shares: Mapping[str, float], group: str, *, salt: int | None = None) -> Split:
    """Hold out whole groups, for example families or repositories: a question about kinds never seen.

    Parameters
    ----------
    suite, shares, salt
        As for :func:`split_by_variant`; shares are of the cases, and come out as near as whole groups allow.
    group : str
        The slice whose values stay together.
    """
    shares = _checked(shares)
    groups = _values(suite, group)
    keys = {case: content_digest("passband.split.group", 1, value) for case, value in groups.items()}
    chosen = salt if salt is not None else _balanced(keys, dict.fromkeys(keys, ""), shares)
    parts = {case: part_of(key, shares, chosen) for case, key in keys.items()}
    return _made(suite, parts, shares, by=f"group:{group}", salt=chosen)


def split_by_time(suite: EvalSuite, cutoffs: Mapping[str, str], when: str) -> Split:
    """Hold out what is newer: nothing of it can have been in data that ends before.

    Parameters
    ----------
    suite : EvalSuite
        What is split.
    cutoffs : mapping of str to str
        Part → its first date, ISO 8601, for example ``{"validation": "2024-01-01", "test": "2024-03-01"}``; a case
        belongs to the last part that has begun, or to ``train``.
    when : str
        The slice that holds a case's date.

    Raises
    ------
    UsageError
        Without a cutoff, or for a part whose name is not plain.
    SuiteError
        Where a case has no date, or one that can't be read.
    """
    _check_names(cutoffs)
    begins = sorted((_date(text, f"--cutoff {part}"), part) for part, text in cutoffs.items())
    if not begins:
        raise UsageError("a split by time needs a cutoff", fix="for example --cutoff test=2024-01-01")
    parts = {}
    for case, text in _values(suite, when).items():
        day = _date(text, f"case {case}, slice {when}")
        parts[case] = next((part for begin, part in reversed(begins) if day >= begin), _REST)
    named = {part: begin.isoformat() for begin, part in begins}
    return _made(suite, parts, {part: 0.0 for _, part in begins}, by=f"time:{when}", cutoffs=named)


def _checked(shares: Mapping[str, float]) -> dict[str, float]:
    if not shares:
        raise UsageError("a split needs a share", fix="for example --share test=0.3")
    _check_names(shares)
    for part, share in shares.items():
        if not 0 < share < 1:
            raise UsageError(f"{share} is no share for the part {part!r}", fix=f"a fraction; {_REST} gets the rest")
    if sum(shares.values()) > 1 + 1e-9:
        raise UsageError(f"the shares sum to {sum(shares.values()):g}")
    return dict(sorted(shares.items()))


def _check_names(parts: Iterable[str]) -> None:
    """Refuse names that would lead elsewhere as the name of a file, and the name of what is left."""
    for part in parts:
        if not _PLAIN.fullmatch(part):
            raise UsageError(f"{part!r} is no name of a part", fix="use letters, digits, - and _")
        if part == _REST:
            raise UsageError(f"the part {_REST!r} is what is left", fix="name the others")


def _values(suite: EvalSuite, name: str) -> dict[str, str]:
    known = sorted({key for case in suite for key in case.slices})
    missing = [case.id for case in suite if name not in case.slices]
    if missing:
        few = "1 case has" if len(missing) == 1 else f"{len(missing)} cases have"
        raise SuiteError(
            f"{few} no slice {name!r}, first {missing[0]!r}",
            where=suite.name,
            fix=f"there are: {', '.join(known) or 'none'}",
        )
    return {case.id: case.slices[name] for case in suite}


def _date(text: str, where: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise SuiteError(f"{text!r} is no date", where=where, fix="write YYYY-MM-DD") from None


def _balanced(keys: Mapping[str, str], strata: Mapping[str, str], shares: Mapping[str, float]) -> int:
    """Find the first salt with the least sum of squared deviations, in cases, over strata and parts."""
    sizes = Counter(strata.values())
    best = (float("inf"), 0)
    places = [(strata[case], key) for case, key in keys.items()]
    for salt in range(_SALTS if len(keys) <= 2000 else 50):
        got: dict[tuple[str, str], int] = defaultdict(int)
        for stratum, key in places:
            got[stratum, part_of(key, shares, salt)] += 1
        off = sum(
            (got[stratum, part] - share * size) ** 2
            for stratum, size in sizes.items()
            for part, share in shares.items()
        )
        best = min(best, (off, salt))
        if off < 0.25 * len(sizes):
            break
    return best[1]


def _made(
    suite: EvalSuite,
    parts: Mapping[str, str],
    shares: Mapping[str, float],
    *,
    by: str,
    salt: int = 0,
    stratify: str | None = None,
    cutoffs: Mapping[str, str] | None = None,
) -> Split:
    members: dict[str, Sequence[str]] = {
        part: tuple(sorted(case for case, own in parts.items() if own == part)) for part in (*shares, _REST)
    }
    empty = [part for part in shares if not members[part]]
    if empty:
        raise SuiteError(f"the part {empty[0]!r} would be empty", where=suite.name, fix="give it a larger share")
    return Split(
        suite=suite.name,
        suite_version=suite.version,
        by=by,
        salt=salt,
        stratify=stratify,
        shares={} if cutoffs else dict(shares),
        cutoffs=dict(cutoffs or {}),
        parts={part: tuple(ids) for part, ids in members.items() if ids},
    )
