"""``passband suite split``: reading what was asked, and saying what came out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from passband.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from passband.records import Split
    from passband.suite import EvalSuite

__all__ = ["make_split", "read_split", "render_split", "write_parts"]


def make_split(
    suite: EvalSuite,
    *,
    by: str,
    shares: Iterable[str],
    cutoffs: Iterable[str],
    stratify: str | None,
    like: Split | None,
) -> Split:
    """Split a suite as the command line asks; `like` gives the salt and the shares of an earlier split."""
    from passband.suite.splits import split_by_group, split_by_time, split_by_variant

    wanted = {name: _fraction(name, text) for name, text in _pairs(shares, "--share")}
    if like is not None:
        wanted = wanted or dict(like.shares)
    salt = like.salt if like is not None else None
    kind, _, name = by.partition(":")
    if kind == "variant" and not name:
        return split_by_variant(suite, wanted, stratify=stratify, salt=salt)
    if stratify is not None:
        raise UsageError("--stratify goes with --by variant")
    if kind == "group" and name:
        return split_by_group(suite, wanted, name, salt=salt)
    if kind == "time" and name:
        return split_by_time(suite, dict(_pairs(cutoffs, "--cutoff")) or dict(like.cutoffs if like else {}), name)
    raise UsageError(f"--by {by} is unknown", fix="use variant, group:SLICE or time:SLICE")


def read_split(path: Path) -> Split:
    """Read a split file.

    Raises
    ------
    DataError
        Where it can't be read.
    """
    from passband.records import Split, decode

    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=str(path)) from None
    return decode(data, Split, where=str(path))


def render_split(split: Split, suite: EvalSuite) -> str:
    """Say what each part holds, and how evenly the strata fell."""
    lines = [f"{suite.label}  by {split.by}  salt {split.salt}", ""]
    for part, ids in split.parts.items():
        lines.append(
            f"  {part:12} {len(ids):5} {'case ' if len(ids) == 1 else 'cases'}  "
            f"{100 * len(ids) / len(suite):4.1f}%  {split.part_digest(part)[:8]}"
        )
    if split.stratify is not None:
        lines += ["", f"by {split.stratify}"]
        of = {case.id: case.slices[split.stratify] for case in suite}
        for value in sorted(set(of.values())):
            counts = Counter({part: sum(of[case] == value for case in ids) for part, ids in split.parts.items()})
            lines.append(f"  {value:16} " + " · ".join(f"{part} {number}" for part, number in counts.items()))
    return "\n".join(lines)


def write_parts(split: Split, suite: EvalSuite, folder: Path) -> None:
    """Write each part as a suite of its own, so that test need not be run before its time.

    Raises
    ------
    DataError
        Where the folder can't be written.
    """
    from passband.suite import EvalSuite, dump_jsonl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part, ids in split.parts.items():
            made = EvalSuite(part, tuple(suite.case(case) for case in ids))
            (folder / f"{part}.jsonl").write_bytes(dump_jsonl(made))
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(folder)) from None


def _pairs(entries: Iterable[str], option: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for entry in entries:
        name, equals, text = entry.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {entry} is not PART=VALUE", fix=f"for example {option} test=…")
        if any(name == before for before, _ in out):
            raise UsageError(f"{option} {entry} is the second for {name}", fix="give one for each part")
        out.append((name, text))
    return out


def _fraction(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--share {name}={text} is no fraction", fix="for example --share test=0.3") from None
