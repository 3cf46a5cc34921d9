import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from passband.cli.stopping import round_bounds, until_decided, until_width
from passband.errors import UsageError
from passband.run import Progress
from tests.tables import table

from .runner import passband


def log_mixture(passed, drawn, rate):
    """Logarithm of the likelihood ratio of a Beta(1/2, 1/2) mixture against one rate."""
    failed = drawn - passed
    mixture = special.betaln(passed + 0.5, failed + 0.5) - special.betaln(0.5, 0.5)
    return mixture - special.xlogy(passed, rate) - special.xlog1py(failed, -rate)


@pytest.mark.parametrize(("passed", "drawn"), [(0, 20), (20, 20), (7, 20), (300, 400), (1, 1000)])
def test_bounds_are_where_the_mixture_reaches_its_threshold(passed, drawn):
    """The bounds are the rates at which the closed form of the mixture is twenty."""
    low, high = round_bounds(passed, drawn, 0.95)
    for bound, end in ((low, 0.0), (high, 1.0)):
        if bound != end:
            assert log_mixture(passed, drawn, bound) == pytest.approx(math.log(20), abs=1e-4)
    assert low <= passed / drawn <= high


def progress(passed, drawn, errored=0):
    """Make a progress after whole rounds."""
    made = Progress(scheduled=10_000, cases=10)
    made.passed, made.done, made.errored, made.graded = passed, drawn, errored, drawn - errored
    return made


def test_the_width_rule():
    """The rule stops when the interval is narrow enough, not before the first round, and errors widen it."""
    rule = until_width(0.1)
    assert rule(progress(0, 0)) is None
    assert rule(progress(50, 100)) is None
    assert "within 10 points" in rule(progress(1000, 2000))
    assert rule(progress(1000, 2200, errored=200)) is None


def base(passes, n=100):
    """Make a complete baseline of ten tasks."""
    return table({f"c{i}": "P" * passes + "F" * (n - passes) for i in range(10)}, run_id="base")


def test_the_decision_rule():
    """Clearly worse and clearly not worse are decided, a difference near the margin is not."""
    rule = until_decided(0.02, base(60))
    assert rule(progress(0, 0)) is None
    assert "worse than base by more than 2 points" in rule(progress(300, 1000))
    assert "not worse than base by 2 points" in rule(progress(900, 1000))
    assert rule(progress(580, 1000)) is None


def test_a_baseline_is_complete():
    """A baseline with samples missing has no whole rounds to rest on."""
    with pytest.raises(UsageError, match="not complete"):
        until_decided(0.02, table({"a": "PF", "b": "P-"}))


@pytest.mark.slow
def test_the_error_rate_holds_whenever_one_stops():
    """Stopped at any width, over tasks of any spread, the interval misses in no more than one run of twenty."""
    rng = np.random.default_rng(11)
    widths, runs, tasks, rounds = (0.3, 0.2, 0.15, 0.1), 400, 30, 64
    saved = []
    for spread in ((1.0, 1.0), (0.2, 0.2), (1.0, 9.0), (50.0, 50.0)):
        missed = 0
        for _ in range(runs):
            rates = rng.beta(*spread, tasks)
            passes = np.cumsum(rng.binomial(1, rates, size=(rounds, tasks)).sum(axis=1))
            ever = False
            for width in widths:
                rule = until_width(width)
                for index, passed in enumerate(passes.tolist()):
                    drawn = (index + 1) * tasks
                    low, high = bounds(passed, drawn)
                    if high - low <= width:
                        saved.append((width, drawn / (rounds * tasks)))
                        ever |= not low <= rates.mean() <= high
                        break
                assert rule(progress(0, 0)) is None
            missed += ever
        assert missed <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)
    for wide, narrow in pairwise(widths):
        shares = [np.mean([share for width, share in saved if width == w]) for w in (wide, narrow)]
        assert shares[0] < shares[1]


_known: dict[tuple[int, int], tuple[float, float]] = {}


def bounds(passed, drawn):
    """Remember bounds: the simulation asks for the same again and again."""
    if (passed, drawn) not in _known:
        _known[passed, drawn] = round_bounds(passed, drawn, 0.95)
    return _known[passed, drawn]


def test_a_run_stops_by_itself(tmp_path):
    """From the command line, a run ends early with its reason and code 0, and says how many samples it took."""
    lines = [
        json.dumps({"id": f"c{i}", "inputs": {}, "reference": "1", "grader_spec": {"kind": "exact_match"}})
        for i in range(40)
    ]
    Path("suite.jsonl").write_text("\n".join(lines) + "\n")
    Path("agent.py").write_text("def one(view, seed): return '1'\ndef none(view, seed): return '0'\n")

    def run(function, *more):
        return passband(
            *("run", "suite.jsonl", "--subject", f"python:agent:{function}", "--unsafe", "--format", "json"), *more
        )

    done = run("one", "-n", "50", "--until-width", "0.05")
    assert done.code == 0, done.err
    assert "within 5 points" in done.err
    drawn = 2000 - json.loads(done.out)["errors"]["missing"]
    assert 0 < drawn < 400
    assert drawn % 40 == 0
    base = json.loads(run("one", "-n", "4", "--seed", "1").out)["run_id"]
    worse = run("none", "-n", "50", "--until-decided", "0.02", "--baseline", base)
    assert worse.code == 0, worse.err
    assert "decided: worse" in worse.err
    assert run("one", "--until-decided", "0.02").code == 2
    assert run("one", "--until-width", "0").code == 2
