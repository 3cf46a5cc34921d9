"""A gate's decision as workflow commands of GitHub Actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.gate import gate_headline, needs_text

if TYPE_CHECKING:
    from passband.gate import GateReport

__all__ = ["escape_data", "escape_property", "github_output", "render_gate_github"]

_LEVELS = {"fail": "error", "inconclusive": "warning", "pass": "notice", "not_applicable": "notice"}
_SHOWN_CASES = 8


def escape_data(text: str) -> str:
    """Escape a command's message as ``@actions/core`` does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Escape a command's property as ``@actions/core`` does."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def render_gate_github(report: GateReport, *, policy_path: str = "") -> str:
    """Render an annotation a rule that does not hold, and one for the decision.

    Parameters
    ----------
    report : GateReport
        The decision.
    policy_path : str
        The policy file, relative to the repository, to hang the annotations on.
    """
    lines = []
    where = f"file={escape_property(policy_path)}," if policy_path else ""
    for rule in report.rules:
        if rule.outcome == "pass":
            continue
        level = "notice" if rule.advisory else _LEVELS[rule.outcome]
        message = f"{rule.number}: {rule.reason}"
        if rule.sensitivity:
            message += f"\n{rule.sensitivity}"
        if rule.needs is not None:
            message += f"\nto decide: {needs_text(rule.needs)}"
        if rule.cases:
            message += "\nlook first at " + ", ".join(f"{case.id} ({case.why})" for case in rule.cases[:_SHOWN_CASES])
        lines.append(f"::{level} {where}title={escape_property(rule.title)}::{escape_data(message)}")
    lines += [f"::notice {where}title=Passband gate::{escape_data(note)}" for note in report.notes]
    head = gate_headline(report)
    lines.append(f"::{_LEVELS[report.outcome]} {where}title=Passband gate::{escape_data(head)}")
    return "\n".join(lines)


def github_output(report: GateReport) -> str:
    """Lines for ``$GITHUB_OUTPUT``: the outcome and the exit code, values that hold no line end."""
    return f"outcome={report.outcome}\nexit-code={report.exit_code}\n"
