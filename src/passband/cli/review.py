"""``passband review``."""

from __future__ import annotations

from pathlib import Path

import click

from passband.cli.common import echo, emit

__all__ = ["review"]

_EXAMPLE = """\
# The claim, as reported. Percentages and points throughout.
name = "a new advantage estimator"
tasks = 500                     # of the benchmark, the same for both arms
baseline = 41.0                 # pass@1, percent
candidate = 43.4
about = "recipe"                # how they were trained; or "checkpoints": these two and no others
samples = 1                     # of each task, of each run
runs = 1                        # training runs of each arm
chosen = "unsaid"               # the checkpoint: "fixed" beforehand, on "validation", on "test" (these tasks), "unsaid"
of = 5                          # it was the best of so many
# baseline_of = 5               # so was the baseline
# correlation = 0.7             # of one sample of each arm on one task, where per-task results are known
# icc = 0.8                     # of two samples of one arm on one task
# training_sd = 1.0             # points, between runs of one recipe
# detect = 2                    # points to plan for, instead of the claimed ones
"""


@click.command(
    epilog="""\b
Needed: tasks, baseline, candidate, about, samples, runs, chosen. Whatever else is known narrows what is left
open; what is not known is shown at several values, and asked for.

\b
Exit code: 0 the claim is supported · 2 usage or claim file · 3 it is not, or hangs on what is not known

\b
Examples:
  passband review --example > claim.toml
  passband review claim.toml
  passband review claim.toml --format md
"""
)
@click.argument("claim", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="CLAIM.toml")
@click.option("--example", is_flag=True, help="Print a claim to start from.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "md"]),
    default="text",
    show_default=True,
    help="json has every number; md is for a pull request.",
)
def review(
    claim: Path | None,
    example: bool,  # noqa: FBT001 - click passes by name
    format_: str,
) -> int:
    """Say what a reported improvement can support, from the numbers of its report alone.

    Standard errors unpaired and paired, what choosing the checkpoint may have added, what that leaves of the claim,
    what to ask for, and how many samples and training runs would show the difference.
    """
    if example:
        emit(_EXAMPLE.rstrip("\n"))
        return 0
    from passband.compare import read_claim, review_claim
    from passband.errors import UsageError
    from passband.report import render_review, render_review_markdown, to_json

    if claim is None:
        raise UsageError("no claim is named", fix="passband review CLAIM.toml; start from: passband review --example")
    found = review_claim(read_claim(claim))
    if format_ == "json":
        emit(to_json(found))
    elif format_ == "md":
        emit(render_review_markdown(found))
    else:
        echo(render_review(found))
    return found.exit_code
