import csv

import numpy as np
import pytest

from passband.stats import paired_difference, pass_at_k_interval, pass_hat_k_interval, pass_rate_interval

from .outcomes import FOLDER, arrays, counts, shared

# Where the files are not there (they are not part of the project), each list is empty and nothing is claimed.
TAU = list(counts("tau_bench_airline_gpt4o.csv").values())
CRUX = counts("cruxeval_codellama7b.csv")
CRUX_PUBLISHED = {"cruxeval_input": (35.95, 44.99), "cruxeval_output": (34.21, 40.29)}
HEADLINE = FOLDER / "evalperf_headline.csv"
HEADLINES = list(csv.DictReader(HEADLINE.read_text().splitlines())) if HEADLINE.exists() else []
EVALPERF = counts("evalperf_pass_n100.csv")
PRO = counts("swebench_pro.csv")
LIVE = counts("livecodebench_codegen_2024-04-17.csv")


@pytest.mark.parametrize("tasks", TAU)
def test_tau_bench_airline_gives_its_published_pass_hat_k(tasks):
    """pass^1 to pass^4 of 50 tasks × 4 trials are .420, .273, .220, .200."""
    c, n = arrays(tasks)
    assert [round(pass_hat_k_interval(c, n, k).value, 3) for k in (1, 2, 3, 4)] == [0.42, 0.273, 0.22, 0.2]


@pytest.mark.parametrize("run", sorted(CRUX))
def test_cruxeval_gives_its_published_pass_at_k(run):
    """pass@1 and pass@5 of 800 tasks × 10 samples, to the second decimal."""
    c, n = arrays(CRUX[run])
    shown = tuple(round(100 * pass_at_k_interval(c, n, k).value, 2) for k in (1, 5))
    assert shown == CRUX_PUBLISHED[run[0]]


@pytest.mark.parametrize("row", HEADLINES, ids=lambda row: row["system"])
def test_evalperf_gives_every_published_pass_at_1(row):
    """Mean rate of 118 tasks × 100 samples, as published, for each system."""
    c, n = arrays(EVALPERF["evalperf", row["system"]])
    assert 100 * pass_rate_interval(c, n).value == pytest.approx(float(row["pass@1_published"]), abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "tasks", "rates", "split", "p"),
    [
        ("opus-4-1", "claude-sonnet-4-paper", 663, (24.4, 25.0), (10, 14), 0.54),
        ("claude-4sonnet", "claude-45sonnet", 562, (42.7, 44.8), None, 0.285),
    ]
    if PRO
    else [],
)
def test_swebench_pro_is_compared_on_the_shared_tasks(a, b, tasks, rates, split, p):
    """Systems hold 562 to 955 ids; on those both hold, rates, discordant tasks and exact p are the right ones."""
    one, two = (next(t for (_, system), t in PRO.items() if name in system) for name in (a, b))
    ca, na, cb, nb = shared(one, two)
    found = paired_difference(ca, na, cb, nb)
    assert found.estimate.n_tasks == tasks
    assert (round(100 * float(np.mean(ca)), 1), round(100 * float(np.mean(cb)), 1)) == rates
    assert found.sign_flip_p == pytest.approx(p, abs=0.006)
    if split:
        assert {found.n_better, found.n_worse} == set(split)


@pytest.mark.parametrize(
    ("run", "tasks"), sorted({**CRUX, **PRO, **counts("livecodebench_codegen_2024-04-17.csv")}.items())
)
def test_every_system_gets_an_interval_around_its_value(run, tasks):
    """Both estimands, every file: ends in order around the value, numbers throughout."""
    c, n = arrays(tasks)
    for estimand in ("tasks-like-these", "these-tasks"):
        found = pass_rate_interval(c, n, estimand)
        assert 0 <= found.low <= found.value <= found.high <= 1
