"""``passband gate``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.common import (
    at_store,
    echo,
    emit,
    quarantine_option,
    quarantined,
    refuse_other_tasks,
    refuse_twice,
    store_option,
)
from passband.cli.opening import load_table
from passband.errors import UsageError

if TYPE_CHECKING:
    from passband.gate import GateReport

__all__ = ["gate"]

_EXAMPLE = """\
# A release gate. Percentages and points; every rule may say advisory = true. The safety veto needs no rule.
name = "release"
level = 95                      # of all deciding intervals together
# allow = ["packages.python"]   # fields of the harness that may differ from the baseline's

[[rule]]
kind = "no_worse"               # the whole interval of the difference lies above -margin
margin = 2

[[rule]]
kind = "floor"                  # the whole interval lies at or above min
min = 50
# metric = "pass@4"             # or "pass^4"
# slice = "difficulty=easy"     # or "difficulty": each of its values

[[rule]]
kind = "no_lost_case"           # no case that always passed may now always fail

[[rule]]
kind = "infra_errors"
max = 1

[[rule]]
kind = "flaky_cases"
max = 0

[[rule]]
kind = "power"
detect = 5
advisory = true
"""


@click.command(
    epilog="""\b
Exit code: 0 pass · 1 fail · 2 usage or policy file · 3 inconclusive · 4 bad or incomplete data

\b
Examples:
  passband gate --example > gate.toml
  passband gate cand.db --baseline base.db --policy gate.toml
  passband gate latest --policy gate.toml --format junit > gate.xml
"""
)
@click.argument("run", required=False)
@click.option("--baseline", metavar="RUN", help="What the run must not be worse than.")
@click.option("--policy", "policy_path", default="gate.toml", show_default=True, metavar="FILE", help="The policy.")
@click.option("--example", is_flag=True, help="Print a policy to start from.")
@quarantine_option
@store_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "md", "junit", "github"]),
    default="text",
    show_default=True,
    help="github prints annotations, and writes the job's summary and outputs where the runner names them.",
)
def gate(
    run: str | None,
    baseline: str | None,
    policy_path: str,
    example: bool,  # noqa: FBT001 - click passes by name
    quarantine_path: Path | None,
    store: str,
    format_: str,
) -> int:
    """Decide by a policy whether RUN may ship: pass, fail, or inconclusive."""
    if example:
        if run is not None:
            raise UsageError("--example prints a policy and decides nothing", fix="leave out the run, or --example")
        emit(_EXAMPLE.rstrip("\n"))
        return 0
    from passband.cli.ledger import seen_notes
    from passband.gate import decide, read_policy
    from passband.report import (
        render_gate,
        render_gate_github,
        render_gate_junit,
        render_gate_markdown,
        to_json,
    )

    if run is None:
        raise UsageError("no run is named", fix="passband gate RUN --policy FILE")
    policy = read_policy(Path(policy_path))
    names = [run, *([baseline] if baseline is not None else [])]
    tables = [load_table(name, store) for name in names]
    refuse_twice(tables)
    fix = 'decide by those that both have with allow = ["suite_version"] in the policy'
    refuse_other_tasks(tables, policy.allow, fix=fix)
    (candidate, *rest), aside = quarantined(tables, quarantine_path)
    base = rest[0] if rest else None
    words = ["passband", "gate", run]
    words += ["--baseline", baseline] if baseline is not None else []
    words += ["--policy", policy_path]
    words += ["--quarantine", str(quarantine_path)] if quarantine_path is not None else []
    words += shlex.split(at_store(store))
    notes = [*aside, *seen_notes(names, store)]
    report = decide(policy, candidate, base, reproduce=shlex.join(words), notes=notes)
    match format_:
        case "json":
            emit(to_json(report))
        case "md":
            emit(render_gate_markdown(report))
        case "junit":
            emit(render_gate_junit(report))
        case "github":
            emit(render_gate_github(report, policy_path=policy_path))
            _tell_runner(report)
        case _:
            echo(render_gate(report))
    return report.exit_code


def _tell_runner(report: GateReport) -> None:
    from passband.report import github_output, render_gate_markdown

    for name, text in (
        ("GITHUB_STEP_SUMMARY", render_gate_markdown(report) + "\n"),
        ("GITHUB_OUTPUT", github_output(report)),
    ):
        target = os.environ.get(name)
        if target:
            with Path(target).open("a", encoding="utf-8") as stream:
                stream.write(text)
