"""Terminal, JSON: renders what was computed elsewhere, and never computes."""

from passband.report.comparison import render_comparison
from passband.report.jsonreport import to_json
from passband.report.ranking import render_ranking, render_recipes
from passband.report.summary import render_case, render_runs, render_sample, render_summary

__all__ = [
    "render_case",
    "render_comparison",
    "render_ranking",
    "render_recipes",
    "render_runs",
    "render_sample",
    "render_summary",
    "to_json",
]
