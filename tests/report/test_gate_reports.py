import random
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.gate import CaseToSee, Floor, NoWorse, Policy, decide
from passband.gate.result import GateReport, RuleResult
from passband.report import (
    escape_data,
    escape_property,
    github_output,
    render_gate,
    render_gate_github,
    render_gate_junit,
    render_gate_markdown,
)
from passband.report.gate import gate_headline
from tests.tables import table

# What pytest's schema (xunit2) allows: element → (required attributes, allowed attributes, children).
SCHEMA = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
        {"properties", "testcase"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": ({"name"}, {"name", "classname", "time"}, {"failure", "skipped"}),
    "failure": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
}
NASTY = "a<b>&\"c'\x00\x1b[31m\ud800 %0A::error::x\r\ny,z:|`*_@team ]]>"


def check(element):
    """Hold an element and what is in it against the schema."""
    required, allowed, children = SCHEMA[element.tag]
    assert required <= set(element.attrib) <= allowed
    for child in element:
        assert child.tag in children
        check(child)


def report(title="rule", case="case", outcome="fail", *, advisory=False, rules=None):
    rule = RuleResult("floor", title, outcome, advisory, "1.0 [0.0, 2.0]", title, cases=(CaseToSee(case, "0/8"),))
    return GateReport(
        outcome=outcome,
        exit_code={"pass": 0, "fail": 1, "inconclusive": 3}[outcome],
        policy="p",
        policy_digest="d" * 64,
        candidate="cand",
        baseline=None,
        suite="s@1",
        harness_fingerprint="f" * 64,
        level=0.95,
        level_each=0.95,
        rules=rules or (rule,),
        notes=(),
        reproduce="passband gate cand",
    )


@pytest.mark.parametrize(
    ("safety", "others", "outcome", "words"),
    [
        ("pass", ["pass", "pass"], "pass", "PASS  all 2 rules hold"),
        ("pass", ["pass"], "pass", "PASS  the one rule holds"),
        ("fail", ["pass", "pass"], "fail", "FAIL  the safety veto"),
        ("fail", ["fail", "inconclusive"], "fail", "FAIL  the safety veto, 1 of 2 rules failed, 1 inconclusive"),
        ("pass", ["inconclusive", "pass"], "inconclusive", "INCONCLUSIVE  1 of 2 rules can't be decided, none failed"),
    ],
)
def test_the_headline_counts_the_rules_of_the_policy(safety, others, outcome, words):
    """The veto needs no rule and is none: it is named where it falls, and counted nowhere."""
    rules = [RuleResult("safety", "no sample touches what is forbidden", safety, False, "0", "none did")]
    rules += [RuleResult("floor", f"rule {i}", word, False, "1", "so") for i, word in enumerate(others)]
    assert gate_headline(report(outcome=outcome, rules=tuple(rules))) == words


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text(), st.sampled_from(["pass", "fail", "inconclusive"]), st.booleans())
def test_any_text_gives_valid_junit(title, case, outcome, advisory):
    """Whatever a case is called, the XML can be read back and fits the schema; what does not hold is not passed."""
    root = ET.fromstring(render_gate_junit(report(title, case, outcome, advisory=advisory)))
    check(root)
    found = [child.tag for child in root.iter("testcase").__next__()]
    assert found == ([] if outcome == "pass" else ["skipped"] if advisory else ["failure"])
    suite = root[0]
    assert suite.get("failures") == str(int(outcome != "pass" and not advisory))


def test_nasty_names_stay_in_their_place():
    """Control characters, markup and workflow commands in a name break neither text, markdown nor annotations."""
    made = report(NASTY.replace("\ud800", ""), NASTY.replace("\ud800", ""))
    annotations = render_gate_github(made).split("\n")
    assert len(annotations) == 2
    assert all(line.startswith("::error ") for line in annotations)
    assert "\x1b" not in render_gate(made)
    table_rows = [line for line in render_gate_markdown(made).split("\n") if line.startswith("| ✗")]
    assert len(table_rows) == 1
    assert len(re.findall(r"(?<!\\)\|", table_rows[0])) == 5
    assert "<b>" not in table_rows[0]
    assert " @team" not in table_rows[0]


@pytest.mark.parametrize(
    ("text", "data", "property_"),
    [
        ("100%", "100%25", "100%25"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("a:b,c", "a:b,c", "a%3Ab%2Cc"),
        ("%0A", "%250A", "%250A"),
    ],
)
def test_escapes_are_those_of_the_toolkit(text, data, property_):
    """Messages and properties are escaped as the runner's own toolkit does."""
    assert escape_data(text) == data
    assert escape_property(text) == property_


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from([0, 2, 10]))
def test_all_formats_say_the_same(seed, cases, margin):
    """Decision and glyphs are one in text, markdown, JUnit and annotations; text keeps to 100 columns."""
    rng = random.Random(seed)
    a, b = (
        table(
            {f"a-rather-long-case-name-{i}": "".join(rng.choice("PFFE") for _ in range(4)) + "P" for i in range(cases)},
            run_id=name,
        )
        for name in ("base", "cand")
    )
    made = decide(Policy(rule=(NoWorse(margin=margin), Floor(min=30))), b, a, reproduce="passband gate cand")
    text, markdown = render_gate(made), render_gate_markdown(made)
    assert text.startswith(made.outcome.upper())
    assert max(map(len, text.split("\n"))) <= 100
    glyphs = {"pass": "✓", "fail": "✗", "inconclusive": "?"}
    assert re.findall(r"^  ([✓✗?]) ", text, re.MULTILINE) == [glyphs[rule.outcome] for rule in made.rules]
    assert re.findall(r"^\| ([✓✗?]) \|", markdown, re.MULTILINE) == [glyphs[rule.outcome] for rule in made.rules]
    suite = ET.fromstring(render_gate_junit(made))[0]
    failed = [case.find("failure") is not None for case in suite.iter("testcase")]
    assert failed == [rule.outcome != "pass" for rule in made.rules]
    last = render_gate_github(made).split("\n")[-1]
    assert last.startswith({"pass": "::notice ", "fail": "::error ", "inconclusive": "::warning "}[made.outcome])
    assert github_output(made) == f"outcome={made.outcome}\nexit-code={made.exit_code}\n"


def test_what_is_not_applicable_is_shown_and_decides_nothing():
    """A dash in text and markdown, skipped in JUnit, a notice among annotations: never a tick, never a failure."""
    title = "no sample touches what is forbidden"
    safety = RuleResult("safety", title, "not_applicable", False, "–", "counts do not tell")
    made = report(outcome="pass", rules=(safety, RuleResult("floor", "rule", "pass", False, "1", "so")))
    assert gate_headline(made) == "PASS  the one rule holds"
    assert f"  – {title}  –  counts do not tell" in render_gate(made)
    assert f"| – | {title} | – | counts do not tell |" in render_gate_markdown(made)
    suite = ET.fromstring(render_gate_junit(made))[0]
    check(suite)
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert [child.get("type") for case in suite.iter("testcase") for child in case] == ["not_applicable"]
    assert render_gate_github(made).splitlines()[0] == f"::notice title={title}::–: counts do not tell"
