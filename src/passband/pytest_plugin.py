"""``@pytest.mark.passband(n=8, min_rate=.9)``: a test that is drawn n times and held to a rate.

Every sample gets fresh fixtures. The test fails where its whole interval lies below the rate, passes where it does not,
and says in the summary where the interval crosses it: with ``strict=True`` that fails too. A sample whose fixtures fail
has no verdict and is no failure; a test none of whose samples has one is an error.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PassbandSample", "passband_sample"]

_PROPERTY = "passband"
_SAMPLE = pytest.StashKey["PassbandSample"]()
_ALLOWED = {"n", "min_rate", "level", "strict"}


@dataclass(frozen=True)
class PassbandSample:
    """Which sample of a test is being drawn."""

    index: int
    seed: int
    """A number of 32 bits made of the test's id, the index and ``--passband-seed``: the same in every process."""


@pytest.fixture
def passband_sample(request: pytest.FixtureRequest) -> PassbandSample:
    """The sample being drawn: its index and its seed. Index 0 in a test without the mark."""
    made = request.node.stash.get(_SAMPLE, None)
    return made if made is not None else _sample(request.node, 0)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--passband-n`` and ``--passband-seed``."""
    group = parser.getgroup("passband")
    group.addoption("--passband-n", type=int, metavar="N", help="Draw every passband test N times, whatever it says.")
    group.addoption("--passband-seed", type=int, default=0, metavar="SEED", help="Seed of the passband_sample fixture.")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers",
        "passband(n=8, min_rate=0.9, level=0.95, strict=False): draw the test n times and hold its pass rate to "
        "min_rate; fails where the whole interval is below, with strict=True also where it crosses.",
    )


@dataclass(frozen=True)
class _Plan:
    n: int
    min_rate: float
    level: float
    strict: bool


def _plan(item: pytest.Item) -> _Plan | None:
    """Read the mark, strictly."""
    mark = item.get_closest_marker("passband")
    if mark is None:
        return None
    unknown = set(mark.kwargs) - _ALLOWED
    if mark.args or unknown:
        what = f"unknown argument {min(unknown)!r}" if unknown else "arguments are named"
        raise pytest.UsageError(f"{item.nodeid}: passband mark: {what}; write passband(n=8, min_rate=0.9)")
    chosen = item.config.getoption("--passband-n")
    n = chosen if chosen is not None else mark.kwargs.get("n", 8)
    plan = _Plan(n, mark.kwargs.get("min_rate", 0.9), mark.kwargs.get("level", 0.95), mark.kwargs.get("strict", False))
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise pytest.UsageError(f"{item.nodeid}: passband mark: n = {n!r} is no number of samples")
    if not 0 < plan.min_rate <= 1 or not 0.5 <= plan.level < 1:
        raise pytest.UsageError(
            f"{item.nodeid}: passband mark: min_rate = {plan.min_rate!r} and level = {plan.level!r} are no fractions"
        )
    return plan


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test whose mark can't be read is an error, and the others run."""
    wrong = ""
    try:
        _plan(item)
    except pytest.UsageError as error:
        wrong = str(error)
    if wrong:
        pytest.fail(wrong, pytrace=False)


def _sample(item: pytest.Item, index: int) -> PassbandSample:
    base = item.config.getoption("--passband-seed")
    digest = hashlib.sha256(f"passband.sample/1\n{base}\n{item.nodeid}\n{index}".encode()).digest()
    return PassbandSample(index, int.from_bytes(digest[:4]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Draw all samples of a marked test, and report them as one."""
    try:
        plan = _plan(item)
    except pytest.UsageError:
        return None  # its set-up says so
    if plan is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    rounds = list(_draw(item, nextitem, plan))
    for report in _fold(plan, rounds):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _draw(item: pytest.Item, nextitem: pytest.Item | None, plan: _Plan) -> Iterator[list[pytest.TestReport]]:
    from _pytest.runner import runtestprotocol

    for index in range(plan.n):
        item.stash[_SAMPLE] = _sample(item, index)
        # What comes next decides what is torn down: with the parent, the test's own fixtures are, and no wider ones.
        follows: Any = item.parent if index + 1 < plan.n else nextitem
        yield runtestprotocol(item, nextitem=follows, log=False)
    del item.stash[_SAMPLE]


def _fold(plan: _Plan, rounds: list[list[pytest.TestReport]]) -> list[pytest.TestReport]:
    """Make the reports of one test out of those of its samples."""
    last = {report.when: report for report in rounds[-1]}
    calls = [next((r for r in reports if r.when == "call"), None) for reports in rounds]
    skipped = next((r for reports in rounds for r in reports if r.skipped and not hasattr(r, "wasxfail")), None)
    if skipped is not None:
        return next(reports for reports in rounds if skipped in reports)
    broken = [any(r.failed for r in reports if r.when != "call") for reports in rounds]
    passed = sum(call is not None and call.passed and not bad for call, bad in zip(calls, broken, strict=True))
    graded = sum(call is not None and not bad for call, bad in zip(calls, broken, strict=True))
    if not graded:  # nothing but fixtures that failed: show the first of them as it is
        return rounds[0]
    word, text, numbers = _judge(plan, passed, graded)
    report = next(call for call, bad in zip(calls, broken, strict=True) if call is not None and not bad)
    failing = next((call for call, bad in zip(calls, broken, strict=True) if call is not None and call.failed), None)
    why = failing.longreprtext if failing is not None else ""
    report.outcome = "failed" if word == "fail" or (word == "inconclusive" and plan.strict) else "passed"
    report.longrepr = None
    report.duration = sum(r.duration for reports in rounds for r in reports if r.when == "call")
    report.sections = failing.sections if failing is not None else report.sections
    if report.outcome == "failed":
        shown = f"\n\nthe first sample that failed:\n\n{why}" if why else ""
        report.longrepr = f"passband: {text}{shown}"
    lost = plan.n - graded
    verdict = {"outcome": word, "text": text, "passed": passed, "graded": graded, "errored": lost, **numbers}
    for when in ("setup", "teardown"):
        frame = last.get(when)
        if frame is not None and frame.failed:
            first = next((r for reports in rounds for r in reports if r.when == when and not r.failed), None)
            last[when] = first if first is not None else frame
    folded = [last["setup"], report, last["teardown"]] if "setup" in last and "teardown" in last else [report]
    for made in folded:  # JUnit reads the last of them, the summary the call
        made.user_properties = [*made.user_properties, (_PROPERTY, verdict)]
    return folded


def _judge(plan: _Plan, passed: int, graded: int) -> tuple[str, str, dict[str, float]]:
    """Word, sentence and interval, all of one number."""
    from passband.stats import clopper_pearson_interval

    estimate = clopper_pearson_interval(passed, graded, level=plan.level)
    assert estimate.low is not None
    assert estimate.high is not None
    low, high = float(estimate.low), float(estimate.high)
    if high < plan.min_rate:
        word, why = "fail", "whole CI is below"
    elif low >= plan.min_rate:
        word, why = "pass", "whole CI is at or above"
    else:
        word, why = "inconclusive", "CI crosses"
    lost = f", {plan.n - graded} without a verdict" if graded < plan.n else ""
    text = (
        f"{passed} of {graded} samples passed{lost}: {100 * passed / graded:.1f}%, {100 * plan.level:.4g}% CI "
        f"[{100 * low:.1f}, {100 * high:.1f}]; {why} min_rate {100 * plan.min_rate:.4g}%"
    )
    if word == "inconclusive":
        text += _wanted(plan)
    return word, text, {"low": low, "high": high, "min_rate": plan.min_rate}


def _wanted(plan: _Plan) -> str:
    """How many samples without a failure would show the rate: low = (alpha/2)^(1/n)."""
    import math

    if plan.min_rate == 1:
        return "; no number of samples shows a rate of 100%"
    needed = math.ceil(math.log((1 - plan.level) / 2) / math.log(plan.min_rate))
    return f"; {needed} samples that all pass would show it" if needed > plan.n else ""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List what the samples gave, a line a marked test."""
    found = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                found += [(report.nodeid, value) for name, value in report.user_properties if name == _PROPERTY]
    if not found:
        return
    glyphs = {"pass": "✓", "fail": "✗", "inconclusive": "?"}
    terminalreporter.section("passband")
    for nodeid, value in sorted(found, key=lambda entry: entry[0]):
        terminalreporter.write_line(f"{glyphs[value['outcome']]} {nodeid}  {value['text']}")
