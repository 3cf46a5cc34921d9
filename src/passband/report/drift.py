"""What two harnesses do not share, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.report.words import elide, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passband.compare import Drift
    from passband.compare.drift import DriftedField

__all__ = ["render_drift"]


def render_drift(drift: Drift) -> str:
    """Render what differs between two harnesses, the heaviest first."""
    return "\n".join(_lines(drift))


def _lines(drift: Drift) -> Iterator[str]:
    one, two = (fingerprint[:8] for fingerprint in drift.fingerprints)
    if drift.fields:
        many = f"{len(drift.fields)} fields differ" if len(drift.fields) > 1 else "1 field differs"
        yield f"DRIFT  {many} between the harnesses of {drift.one} ({one}) and {drift.two} ({two})"
    else:
        yield f"SAME  {drift.one} and {drift.two} ran under one harness ({one})"
    for weight in dict.fromkeys(field.weight for field in drift.fields):
        yield ""
        yield f"{weight}"
        yield from _rows(field for field in drift.fields if field.weight == weight)
    if drift.run_fields:
        yield ""
        yield "beside the harness"
        yield from _rows(drift.run_fields)
    if drift.unrecorded:
        yield ""
        yield from wrapped(
            f"neither run recorded {', '.join(drift.unrecorded)}: a difference there can't be seen",
            first="note  ",
            indent="      ",
        )
    if drift.fields:
        yield ""
        yield "next: passband canary check CANARY    measures what the difference does"


def _rows(fields: Iterable[DriftedField]) -> Iterator[str]:
    for field in fields:
        yield from wrapped(
            f"{field.field}  {_value(field.one)} → {_value(field.two)}  ({field.why})", first="  ", indent="      "
        )


def _value(value: Any) -> str:
    return "–" if value is None else elide(str(value), 24)
