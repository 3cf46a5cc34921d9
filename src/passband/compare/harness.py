"""What two harnesses do not share, and which of it may stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from passband.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passband.records import Harness

__all__ = ["OPTIONAL", "HarnessDifference", "check_allowed", "harness_differences"]

OPTIONAL = ("prompt_template", "tools", "budgets", "sampling", "limits")
"""Fields that a subject has no use for, or does not tell."""


@dataclass(frozen=True)
class HarnessDifference:
    """A field of the harness in which two runs differ."""

    field: str
    """Its name; an entry of a table is ``table.entry``, for example ``sampling.temperature``."""
    baseline: Any
    """None where the baseline does not have it."""
    candidate: Any


def harness_differences(baseline: Harness, candidate: Harness) -> tuple[HarnessDifference, ...]:
    """List every field in which two harnesses differ, entries of tables one by one."""
    one, two = _flat(baseline), _flat(candidate)
    names = [*one, *(name for name in two if name not in one)]
    return tuple(
        HarnessDifference(name, one.get(name), two.get(name)) for name in names if one.get(name) != two.get(name)
    )


def _flat(harness: Harness) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in msgspec.structs.asdict(harness).items():
        if isinstance(value, Mapping):
            out |= {f"{name}.{key}": item for key, item in sorted(value.items())}
        else:
            out[name] = value
    return out


def check_allowed(
    differences: Iterable[HarnessDifference],
    allow: Iterable[str],
    fields: Iterable[str],
    *,
    where: str = "--allow",
    accept: Callable[[list[str]], str] | None = None,
) -> None:
    """Refuse differences that are not named.

    Parameters
    ----------
    differences : iterable of HarnessDifference
        What two harnesses do not share.
    allow : iterable of str
        Fields that may differ; a table allows all of its entries.
    fields : iterable of str
        Every field there is, against misspelt ones.
    where : str
        Where `allow` was given.
    accept : callable, optional
        How to accept the differences in these fields, for the message; with options ``--allow`` by default.

    Raises
    ------
    UnknownNameError
        Where `allow` names no field.
    UsageError
        Where a difference is not allowed: the message says what would allow it.
    """
    allowed, found = set(allow), list(differences)
    known = {*fields, *(difference.field for difference in found)}
    for name in allowed:
        if name not in known and name.partition(".")[0] not in known:
            raise UnknownNameError("field of the harness", name, known, where=where)
    blocked = [d.field for d in found if d.field not in allowed and d.field.partition(".")[0] not in allowed]
    if blocked:
        accepted = accept(blocked) if accept else f"accept the difference with {_options(blocked)}"
        fix = f"compare runs of one harness, or {accepted}"
        raise UsageError(f"the harnesses differ in {', '.join(blocked)}", fix=fix)


def _options(fields: list[str]) -> str:
    return " ".join(f"--allow {field}" for field in fields)
