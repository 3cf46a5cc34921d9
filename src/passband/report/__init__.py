"""Terminal, JSON, markdown, JUnit, GitHub: renders what was computed elsewhere, and never computes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from passband.report.paint import paint  # of one name with its module, which would stand in its place

if TYPE_CHECKING:
    from passband.report.audit import render_audit
    from passband.report.canary import render_canary
    from passband.report.comparison import render_comparison
    from passband.report.counts import render_counts, render_pilot
    from passband.report.drift import render_drift
    from passband.report.flakiness import quarantine_notes, render_flakiness
    from passband.report.gate import render_gate, render_gate_markdown
    from passband.report.github import escape_data, escape_property, github_output, render_gate_github
    from passband.report.jsonreport import to_json
    from passband.report.junit import render_gate_junit
    from passband.report.narrowing import render_narrowing
    from passband.report.ranking import render_ranking, render_recipes
    from passband.report.review import render_review, render_review_markdown
    from passband.report.selection import render_selection
    from passband.report.summary import render_case, render_runs, render_sample, render_summary

__all__ = [
    "escape_data",
    "escape_property",
    "github_output",
    "paint",
    "quarantine_notes",
    "render_audit",
    "render_canary",
    "render_case",
    "render_comparison",
    "render_counts",
    "render_drift",
    "render_flakiness",
    "render_gate",
    "render_gate_github",
    "render_gate_junit",
    "render_gate_markdown",
    "render_narrowing",
    "render_pilot",
    "render_ranking",
    "render_recipes",
    "render_review",
    "render_review_markdown",
    "render_runs",
    "render_sample",
    "render_selection",
    "render_summary",
    "to_json",
]

# Names are imported when they are asked for: a command waits for its own report alone.
_HOMES = {
    "escape_data": "github",
    "escape_property": "github",
    "github_output": "github",
    "quarantine_notes": "flakiness",
    "render_audit": "audit",
    "render_canary": "canary",
    "render_case": "summary",
    "render_comparison": "comparison",
    "render_counts": "counts",
    "render_drift": "drift",
    "render_flakiness": "flakiness",
    "render_gate": "gate",
    "render_gate_github": "github",
    "render_gate_junit": "junit",
    "render_gate_markdown": "gate",
    "render_narrowing": "narrowing",
    "render_pilot": "counts",
    "render_ranking": "ranking",
    "render_recipes": "ranking",
    "render_review": "review",
    "render_review_markdown": "review",
    "render_runs": "summary",
    "render_sample": "summary",
    "render_selection": "selection",
    "render_summary": "summary",
    "to_json": "jsonreport",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
