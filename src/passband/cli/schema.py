"""``passband schema``."""

from __future__ import annotations

import click

from passband.cli.common import emit

__all__ = ["schema"]


@click.command()
def schema() -> None:
    """Print the JSON Schema of the records: cases, samples, runs."""
    from passband.records import json_schema
    from passband.report import to_json

    emit(to_json(json_schema()))
