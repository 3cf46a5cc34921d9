"""``passband doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from passband.cli.common import echo, emit, format_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["doctor"]

_NO_ISOLATION = 4


@click.command()
@format_option
def doctor(format_: str) -> int:
    """Say which isolation this machine gives, found by trying to get out of it, and why not a stronger one.

    Exit code 4 where there is none.
    """
    from passband.report import to_json
    from passband.sandbox import doctor as diagnose

    found = diagnose()
    if format_ == "json":
        emit(to_json(found))
    else:
        for line in _lines(found):
            echo(line)
    return 0 if found["tier"] else _NO_ISOLATION


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found["tier"]:
        yield f"OK  candidates run in {found['label']}"
    else:
        yield "NONE  candidates cannot be isolated here, and are not run unless --unsafe is said"
    for trial in found["trials"]:
        yield f"\n{'✓' if trial['works'] else '✗'} {trial['tier']}: {trial['why']}"
        for probe, held in trial["probes"].items():
            yield f"    {'a candidate cannot' if held else 'A CANDIDATE CAN'} {probe}"
