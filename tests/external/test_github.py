import random
import re
from pathlib import Path

import pytest

from passband.report import render_gate_github
from passband.report.github import escape_data, escape_property
from tests.report.test_gate_reports import report

from .tools import ask

pytestmark = pytest.mark.external
DOCS = Path(__file__).parents[2] / "docs"
MARKS = [
    "%",
    "\r",
    "\n",
    ":",
    ",",
    "=",
    "::",
    "%0A",
    "%25",
    " ",
    "a",
    "ü",
    "\u2028",
    "\U0001f600",
    "\x1b[31m",
    "|",
    '"',
]


def workflows():
    """The workflows that the documentation shows."""
    for page in sorted(DOCS.rglob("*.md")):
        for block in re.findall(r"^```yaml[^\n]*\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            if re.search(r"^jobs:", block, re.MULTILINE):
                yield page.name, block


def test_workflows_of_the_documentation_have_no_fault():
    """Actionlint finds nothing in the workflows that readers copy, and finds a fault that is put into each."""
    shown = list(workflows())
    assert shown
    texts = [text for _, text in shown]
    broken = [re.sub(r"^on:.*$", "on: pull_requests", text, flags=re.MULTILINE) for text in texts]
    found = ask("actionlint", [*texts, *broken])
    assert dict(zip([name for name, _ in shown], found, strict=False)) == {name: [] for name, _ in shown}
    assert all(any("pull_requests" in fault for fault in faults) for faults in found[len(texts) :])


def test_escapes_are_those_of_the_toolkit():
    """Annotations of any text are the bytes that @actions/core writes for it."""
    rng = random.Random(0)
    texts = ["".join(rng.choices(MARKS, k=rng.randrange(12))) for _ in range(600)]
    asked = [
        {"level": level, "message": message, "title": f"t{title}", "file": f"f{file}"}
        for level, message, title, file in zip(
            ["error", "warning", "notice"] * 50, texts[:150], texts[150:300], texts[300:450], strict=True
        )
    ]
    ours = [
        f"::{one['level']} title={escape_property(one['title'])},file={escape_property(one['file'])}::"
        f"{escape_data(one['message'])}"
        for one in asked
    ]
    assert [line.removesuffix("\n") for line in ask("core", asked)] == ours


def test_a_report_is_what_the_toolkit_would_write():
    """The annotation of a rule with nasty names is one command, equal to the toolkit's."""
    title, case = "a:b,c%0A\n::error::x", "d\r\n::warning::e"
    line = render_gate_github(report(title, case)).split("\n")[0]
    message = f"1.0 [0.0, 2.0]: {title}\nlook first at {case} (0/8)"
    (toolkit,) = ask("core", [{"level": "error", "message": message, "title": title}])
    assert line == toolkit.removesuffix("\n")
