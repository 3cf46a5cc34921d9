"""A gate's decision as JUnit XML: a test case a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from passband.report.gate import needs_text

if TYPE_CHECKING:
    from passband.gate import GateReport, RuleResult

__all__ = ["render_gate_junit"]


def render_gate_junit(report: GateReport) -> str:
    """Render a decision as JUnit XML, after pytest's schema (xunit2).

    Notes
    -----
    A failed rule is a ``failure``. An inconclusive one is a ``failure`` too, of type ``inconclusive``: a CI system that
    knows two outcomes must not let it through. What is advisory and did not hold is ``skipped``, and
    so is what the run does not record, of type ``not_applicable``.
    """
    open_ = [rule for rule in report.rules if rule.outcome != "pass"]
    skipped = sum(map(_skipped, open_))
    suite = ET.Element(
        "testsuite",
        name=_text(f"passband gate {report.policy}"),
        errors="0",
        failures=str(len(open_) - skipped),
        skipped=str(skipped),
        tests=str(len(report.rules)),
        time="0",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("outcome", report.outcome),
        ("candidate", report.candidate),
        ("baseline", report.baseline or ""),
        ("suite", report.suite),
        ("policy", report.policy_digest),
        ("reproduce", report.reproduce),
        *(("note", note) for note in report.notes),
    ):
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for rule in report.rules:
        case = ET.SubElement(suite, "testcase", classname=f"passband.{rule.kind}", name=_text(rule.title), time="0")
        if rule.outcome != "pass":
            detail = _text(_detail(rule))
            if _skipped(rule):
                message = f"advisory, {rule.outcome}" if rule.advisory else "not applicable"
                ET.SubElement(case, "skipped", message=message, type=rule.outcome).text = detail
            else:
                message = _text(f"{rule.number}: {rule.reason}")
                ET.SubElement(case, "failure", message=message, type=rule.outcome).text = detail
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _skipped(rule: RuleResult) -> bool:
    return rule.advisory or rule.outcome == "not_applicable"


def _detail(rule: RuleResult) -> str:
    lines = [f"{rule.number}  {rule.reason}"]
    if rule.sensitivity:
        lines.append(rule.sensitivity)
    if rule.needs is not None:
        lines.append(f"to decide: {needs_text(rule.needs)}")
    lines += [f"{case.id}  {case.why}" for case in rule.cases]
    return "\n".join(lines)


def _text(value: str) -> str:
    """Characters that XML 1.0 has no place for become U+FFFD."""
    return "".join(ch if ch in "\n\t" or _allowed(ord(ch)) else "\ufffd" for ch in value)


def _allowed(code: int) -> bool:
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
