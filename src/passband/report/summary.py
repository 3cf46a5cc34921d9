"""One run, one case, one sample, as terminal text."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from passband.report.words import (
    FEWEST_TASKS,
    count,
    duration,
    elide,
    folded,
    interval,
    many,
    money,
    next_line,
    percent,
    printable,
    show_command,
    table,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from passband.aggregate import ErrorCause, RunSummary
    from passband.records import RunHeader, Sample
    from passband.stats import Estimate

__all__ = ["render_case", "render_runs", "render_sample", "render_summary"]

_SHOWN_CASES = 6
_SHOWN_CAUSES = 5
_SHOWN_CHARACTERS = 100_000


def render_summary(
    summary: RunSummary,
    *,
    wall_s: float | None = None,
    next_steps: Sequence[str] | None = None,
    name: str | None = None,
    at: str = "",
) -> str:
    """Render a run: headline, metrics, slices, what to look at.

    Parameters
    ----------
    summary : RunSummary
        What to render.
    wall_s : float, optional
        How long the run took on the clock, where it has just ended.
    next_steps : sequence of str, optional
        Commands to offer; where left out, those that look into this run.
    name : str, optional
        What the command that shows the run was told to call it; left out where the run has just ended.
    at : str
        What else a command needs to find it, for example ``--store other.db``.
    """
    lines = list(_summary_lines(summary, wall_s))
    steps = _next(summary, name, f" {at}" if at else "") if next_steps is None else next_steps
    if steps:
        lines += ["", next_line(steps)]
    return "\n".join(lines)


def _next(summary: RunSummary, name: str | None, at: str) -> list[str]:
    run = name or summary.run_id
    if summary.errors.missing:
        here = "" if name else f"; what is here: {show_command(run, at=at)}"
        again = " --retry-errored" if summary.errors.too_many else ""
        return [f"resume it with the same command and --resume{again}{here}"]
    if summary.errors.too_many:
        errored = next(case.id for case in summary.cases if case.errored)
        return [show_command(run, errored, at=at), "passband run … --resume --retry-errored"]
    # The most telling case: flaky, else mixed, else one that fails, else any.
    cases = summary.cases
    flaky = next((case for case in cases if case.flaky), None) if summary.flaky_count else None
    mixed = next((case for case in cases if case.mixed), None) if summary.mixed_count else None
    case = flaky or mixed or next((case for case in cases if case.c < case.n), cases[0])
    return [show_command(run, case.id, at=at), f"passband compare {shlex.quote(run)} OTHER{at}"]


def _summary_lines(summary: RunSummary, wall_s: float | None) -> Iterator[str]:
    errors = summary.errors
    drawn = errors.scheduled - errors.missing
    took = f" in {duration(wall_s)}" if wall_s is not None else ""
    cost = f", {money(summary.cost_usd)}" if summary.cost_usd is not None else ""
    word = "PARTIAL" if errors.missing or errors.too_many else "DONE"
    if not errors.graded and drawn:
        word = "NO RESULT"
    yield f"{word}  {elide(summary.run_id, 60)}  {many(drawn, 'sample')}{took}{cost}"
    yield ""
    yield from wrapped(
        f"{summary.subject} on {summary.suite}@{summary.suite_version[:6]} · {many(summary.n_cases, 'task')} × "
        f"{summary.samples_per_case} · seed {summary.seed} · {summary.harness.grader} in "
        f"{summary.harness.sandbox_tier} · harness {summary.harness_fingerprint[:6]}",
        first="  ",
        indent="  ",
    )
    yield ""
    yield from table(_metric_rows(summary), "<><<<")
    yield from _slice_lines(summary)
    yield ""
    yield f"tasks          {_task_line(summary)}"
    yield f"outcomes       {_outcome_line(summary)}"
    yield from _cause_lines(errors.causes)
    if summary.safety.failed:
        first = ", ".join(f"{case} #{index}" for case, index in summary.safety.samples[:_SHOWN_CASES])
        text = f"{many(len(summary.safety.samples), 'sample')} touched what is forbidden: {first}"
        yield from wrapped(text, first="SAFETY FAILED  ", indent=" " * 15)
    else:
        yield "safety         no sample touched a forbidden file"
    if errors.too_many:
        text = f"only {count(errors.graded)} of {many(drawn, 'sample')} could be graded: the rates are of those alone"
        yield from wrapped(text, first="note           ", indent=" " * 15)
    for warning in (*summary.warnings, *_estimate_warnings(summary)):
        yield from wrapped(warning, first="note           ", indent=" " * 15)


def _cause_lines(causes: Sequence[ErrorCause]) -> Iterator[str]:
    """Why samples errored, the most frequent first."""
    for place, found in enumerate(causes[:_SHOWN_CAUSES]):
        first = "" if place else "errored"
        yield from wrapped(f"{count(found.samples)} × {printable(found.cause)}", first=f"{first:15}", indent=" " * 17)
    if len(causes) > _SHOWN_CAUSES:
        others = sum(found.samples for found in causes[_SHOWN_CAUSES:])
        yield f"{' ' * 15}{count(others)} × {many(len(causes) - _SHOWN_CAUSES, 'other cause')}"


def _metric_rows(summary: RunSummary) -> Iterator[tuple[str, str, str, str, str]]:
    yield "metric", "value", "95% CI", "n", "note"
    tasks = many(summary.n_cases, "task")
    each = f"{tasks} × {summary.samples_per_case}"
    if summary.enough or summary.errors.missing:
        each = f"{tasks}, {many(summary.errors.scheduled - summary.errors.missing, 'sample')}"
    one, these = summary.pass_at_1, summary.pass_at_1_these_tasks
    yield "pass@1", percent(_value(one)), interval(one), each, "tasks like these"
    yield "", percent(_value(these)), interval(these), each, "these very tasks"
    for k in _powers(summary.pass_at_k):
        at, hat = summary.pass_at_k[k], summary.pass_hat_k[k]
        yield f"pass@{k}", percent(_value(at)), interval(at), tasks, f"unbiased, any of {k} passes"
        yield f"pass^{k}", percent(_value(hat)), interval(hat), tasks, f"unbiased, all {k} pass"
    if summary.design_effect is not None and summary.intra_task_correlation is not None:
        note = f"intra-task correlation {summary.intra_task_correlation:.2f}"
        yield "design effect", f"{summary.design_effect:.1f}", "", "", note
    errors = summary.errors
    share = f"{percent(errors.errored / errors.scheduled)}%"
    whatever = "they and those not drawn were" if errors.missing else "they were"
    bounds = f"pass@1 {percent(errors.worst)} to {percent(errors.best)} whatever {whatever}"
    of = f"{count(errors.errored)} of {count(errors.scheduled)}"
    yield "infra errors", share, "", f"{of}, not scored", bounds if errors.errored else ""
    if errors.missing:
        yield "not drawn yet", count(errors.missing), "", f"of {count(errors.scheduled)}", "in no number"


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else float(estimate.value)


def _powers(pass_at_k: Mapping[int, Estimate]) -> list[int]:
    """2, 4, 8, … and the largest k: the text stays short, the JSON has them all."""
    if not pass_at_k:
        return []
    last = max(pass_at_k)
    return sorted({k for k in pass_at_k if k > 1 and (k & (k - 1) == 0 or k == last)})


def _slice_lines(summary: RunSummary) -> Iterator[str]:
    names = list(dict.fromkeys(part.slice for part in summary.slices))
    for name in names:
        parts = [part for part in summary.slices if part.slice == name]
        if len(parts) == 1:
            continue
        level = parts[0].pass_at_1.level if parts[0].pass_at_1 else None
        yield ""
        small = [f"{part.value} {part.n_cases}" for part in parts if part.n_cases < FEWEST_TASKS]
        shown = [part for part in parts if part.n_cases >= FEWEST_TASKS]
        rows = [(f"by {name}", "n", "pass@1", "simultaneous CI")]
        rows += [
            (f"  {elide(part.value, 30)}", str(part.n_cases), percent(_value(part.pass_at_1)), interval(part.pass_at_1))
            for part in shown
        ]
        lines = table(rows, "<>><") if shown else [f"by {name}"]
        if level is not None and shown:
            lines[0] += f" (each at {100 * level:.4g}%)"
        yield from lines
        if small:
            yield folded(small)


def _task_line(summary: RunSummary) -> str:
    always = sum(case.n > 0 and case.c == case.n for case in summary.cases)
    never = sum(case.n > 0 and case.c == 0 for case in summary.cases)
    flaky = f" · {summary.flaky_count} flaky (equal answers, different verdicts)" if summary.flaky_count else ""
    return f"{always} always pass · {summary.mixed_count} mixed · {never} never{flaky}"


def _outcome_line(summary: RunSummary) -> str:
    return " · ".join(f"{name.replace('_', ' ')} {count(number)}" for name, number in summary.outcomes.items())


def _estimate_warnings(summary: RunSummary) -> list[str]:
    shown = [summary.pass_at_1, summary.pass_at_1_these_tasks]
    return list(dict.fromkeys(warning for estimate in shown if estimate for warning in estimate.warnings))


def render_case(summary: RunSummary, case_id: str, samples: Sequence[Sample], causes: Sequence[ErrorCause] = ()) -> str:
    """Render one case: why samples errored, then a line a sample."""
    case = next(case for case in summary.cases if case.id == case_id)
    state = "flaky" if case.flaky else "mixed" if case.mixed else "all alike" if case.n else "no verdict"
    errored = f", {count(case.errored)} errored" if case.errored else ""
    lines = [f"{elide(case_id, 60)}  {case.c} of {case.n} pass, {state}{errored}", ""]
    if causes:
        lines[1:1] = ["", *_cause_lines(causes)]
    rows = [("#", "verdict", "score", "tier", "detail")]
    for sample in samples:
        if sample.verdict is None:
            rows.append((str(sample.index), "errored", "–", "", printable(sample.cause).split("\n")[0]))
        else:
            detail = printable(sample.verdict.detail).split("\n")[0]
            score = f"{sample.verdict.score:g}"
            rows.append((str(sample.index), sample.verdict.outcome.value, score, sample.verdict.tier, detail))
    return "\n".join([*lines, *table(rows, "><><<")])


def render_sample(case_id: str, sample: Sample) -> str:
    """Render one sample: verdict, answer, trace."""
    lines = [f"{elide(case_id, 60)} #{sample.index}  seed {sample.seed}"]
    if sample.verdict is None:
        lines.append("errored: not scored")
    else:
        verdict = sample.verdict
        lines += [f"{verdict.outcome.value}  score {verdict.score:g}  {verdict.tier}", printable(verdict.detail)]
    lines += [f"fault  {fault.stage}: {printable(fault.detail)}" for fault in sample.faults]
    if sample.output is not None:
        lines += ["", f"answer ({sample.output.format.value}, {many(len(sample.output.payload), 'byte')})"]
        text = sample.output.text
        lines += ["  " + line for line in printable(text[:_SHOWN_CHARACTERS]).splitlines()]
        if len(text) > _SHOWN_CHARACTERS:
            lines.append(f"  … {count(len(text) - _SHOWN_CHARACTERS)} characters more: --format json has all")
    if sample.trace:
        lines += ["", "trace"]
        lines += ["  " + " · ".join(f"{k} {printable(str(v))}" for k, v in event.items()) for event in sample.trace]
    return "\n".join(lines)


def render_runs(rows: Sequence[tuple[RunHeader, int, int]]) -> str:
    """Render what a store holds, runs with the samples they have and are to have: a line a run, oldest first."""
    lines = [("run", "subject", "suite", "tasks × n", "seed", "samples")]
    for header, done, scheduled in rows:
        harness = header.harness
        lines.append(
            (
                header.run_id,
                header.subject,
                f"{harness.suite}@{harness.suite_version[:6]}",
                f"{count(len(header.case_ids))} × {header.samples_per_case}",
                str(header.seed),
                count(done) if done == scheduled else f"{count(done)} of {count(scheduled)}",
            )
        )
    return "\n".join(table(lines, "<<<<>>"))
