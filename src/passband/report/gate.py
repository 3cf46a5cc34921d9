"""A gate's decision as terminal text and as markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.markdown import cell, row
from passband.report.words import WIDTH, count, elide, many, printable, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.gate import GateReport, Needs, RuleOutcome, RuleResult

__all__ = ["GATE_GLYPHS", "gate_headline", "needs_text", "render_gate", "render_gate_markdown"]

GATE_GLYPHS: dict[RuleOutcome, str] = {"pass": "✓", "fail": "✗", "inconclusive": "?", "not_applicable": "–"}
_SHOWN_CASES = 4
_EXITS = "0 pass · 1 fail · 2 usage or policy file · 3 inconclusive · 4 bad data · 5 internal"


def gate_headline(report: GateReport) -> str:
    """``FAIL  1 of 4 rules failed, 1 inconclusive``."""
    deciding = [rule for rule in report.rules if not rule.advisory and rule.kind != "safety"]
    failed = sum(rule.outcome == "fail" for rule in deciding)
    open_ = sum(rule.outcome == "inconclusive" for rule in deciding)
    total = many(len(deciding), "rule")
    if report.outcome == "pass":
        text = f"all {total} hold" if len(deciding) > 1 else "the one rule holds"
    elif report.outcome == "fail":
        vetoed = any(rule.kind == "safety" and rule.outcome == "fail" for rule in report.rules)
        found = ["the safety veto"] if vetoed else []
        found += [f"{failed} of {total} failed"] if failed else []
        found += [f"{open_} inconclusive"] if open_ else []
        text = ", ".join(found)
    else:
        text = f"{open_} of {total} can't be decided, none failed"
    return f"{report.outcome.upper()}  {text}"


def needs_text(needs: Needs) -> str:
    """What it would take, in words: ``about 100 tasks × 8, or 27 × 60``."""
    now = f"{count(needs.n_tasks)} × {count(needs.n_samples)}"
    ways = []
    if needs.tasks is not None:
        ways.append(f"about {many(needs.tasks, 'task')} × {count(needs.n_samples)}")
    if needs.samples is not None:
        ways.append(f"{many(needs.n_tasks, 'task')} × {count(needs.samples)}")
    if not ways:
        return f"no number of tasks or samples within reach (now {now})"
    alone = (
        "" if needs.samples is not None or needs.tasks is None else "; more samples of these tasks alone will not do"
    )
    return f"{', or '.join(ways)} (now {now}){alone}"


def render_gate(report: GateReport) -> str:
    """Render a decision: the word first, then each rule with its number and reason."""
    return "\n".join(_lines(report))


def _lines(report: GateReport) -> Iterator[str]:
    yield gate_headline(report)
    yield ""
    against = f" against {report.baseline}" if report.baseline else ""
    yield from wrapped(
        f"{report.candidate}{against} on {report.suite} · policy {report.policy} {report.policy_digest[:6]} · "
        f"{_levels(report)}",
        first="  ",
        indent="  ",
    )
    for note in report.notes:
        yield from wrapped(printable(note), first="  ! ", indent="    ")
    yield ""
    titles = [_title(rule) for rule in report.rules]
    wide = min(50, max(map(len, titles)))
    for rule, title in zip(report.rules, titles, strict=True):
        yield from _rule_lines(rule, title, wide)
    yield ""
    if report.reproduce:
        yield f"  reproduce: {printable(report.reproduce)}"
    yield f"  exit {report.exit_code}: {_EXITS}"


def _title(rule: RuleResult) -> str:
    title = printable(rule.title)
    return f"{title} (advisory)" if rule.advisory else title


def _levels(report: GateReport) -> str:
    together, each = f"{100 * report.level:.4g}%", f"{100 * report.level_each:.4g}%"
    return f"{together} CIs" if together == each else f"{each} CIs, {together} together"


def _rule_lines(rule: RuleResult, title: str, wide: int) -> Iterator[str]:
    glyph = GATE_GLYPHS[rule.outcome]
    number, reason = printable(rule.number), printable(rule.reason)
    head = f"  {glyph} {title:{wide}}  {number}"
    if len(title) <= wide and len(head) + 2 + len(reason) <= WIDTH:
        yield f"{head}  {reason}"
    elif len(title) <= wide and len(head) <= WIDTH:
        yield head
        yield from wrapped(reason, first=" " * 8, indent=" " * 8)
    else:
        yield from wrapped(title, first=f"  {glyph} ", indent="    ")
        yield from wrapped(f"{number}  {reason}", first=" " * 8, indent=" " * 8)
    if rule.sensitivity:
        yield from wrapped(rule.sensitivity, first=" " * 8, indent=" " * 10)
    if rule.needs is not None:
        yield from wrapped(
            f"to decide, if what is seen is true: {needs_text(rule.needs)}", first=" " * 8, indent=" " * 10
        )
    if rule.cases and rule.outcome != "pass":
        yield from wrapped(f"look first at {_cases(rule)}", first=" " * 8, indent=" " * 10)


def _cases(rule: RuleResult) -> str:
    return "  ".join(f"{elide(printable(case.id), 40)} ({case.why})" for case in rule.cases[:_SHOWN_CASES])


def render_gate_markdown(report: GateReport) -> str:
    """Render a decision for a pull request or a job's summary."""
    lines = [f"### {GATE_GLYPHS[report.outcome]} Passband gate: {gate_headline(report).replace('  ', ' — ', 1)}", ""]
    against = f" against `{report.baseline}`" if report.baseline else ""
    lines += [f"`{report.candidate}`{against} on `{report.suite}` · policy `{report.policy_digest[:6]}`", ""]
    lines += ["| | rule | found | why |", "|---|---|---|---|"]
    for rule in report.rules:
        why = f"{rule.reason}; {rule.sensitivity}" if rule.sensitivity else rule.reason
        if rule.needs is not None:
            why += f"; to decide: {needs_text(rule.needs)}"
        if rule.cases and rule.outcome != "pass":
            why += f"; look first at {_cases(rule)}"
        cells = (GATE_GLYPHS[rule.outcome], _title(rule), rule.number, why)
        lines.append(row(cells))
    lines += ["", f"{_levels(report)}."]
    lines += [f"> {cell(note)}" for note in report.notes]
    if report.reproduce:
        lines += ["", f"Reproduce: `{report.reproduce}`"]
    return "\n".join(lines)
