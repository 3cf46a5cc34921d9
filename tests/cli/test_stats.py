import json
from pathlib import Path

import pytest

from .runner import passband

OUTCOMES = Path(__file__).parents[3] / "shared/data/outcomes"
# (file, system, k, symbol, percent): what the sources publish, or what follows from their counts by hand.
PUBLISHED = [
    ("tau_bench_airline_gpt4o.csv", "gpt-4o-tool-calling", 1, "hat", 42.0),
    ("tau_bench_airline_gpt4o.csv", "gpt-4o-tool-calling", 2, "hat", 27.3),
    ("tau_bench_airline_gpt4o.csv", "gpt-4o-tool-calling", 3, "hat", 22.0),
    ("tau_bench_airline_gpt4o.csv", "gpt-4o-tool-calling", 4, "hat", 20.0),
    ("cruxeval_codellama7b.csv", "cruxeval_input/codellama-7b_temp0.2", 1, "at", 35.95),
    ("cruxeval_codellama7b.csv", "cruxeval_output/codellama-7b_temp0.2", 1, "at", 34.21),
    ("cruxeval_codellama7b.csv", "cruxeval_input/codellama-7b_temp0.2", 5, "at", 44.99),
    ("cruxeval_codellama7b.csv", "cruxeval_output/codellama-7b_temp0.2", 5, "at", 40.29),
]


@pytest.fixture
def counts(tmp_path):
    """Counts of two systems on four tasks."""
    path = tmp_path / "counts.csv"
    path.write_text(
        "system,task_id,n,c\nold,w,4,4\nold,x,4,2\nold,y,4,1\nold,z,4,0\nnew,w,4,4\nnew,x,4,3\nnew,y,4,3\nnew,z,4,1\n"
    )
    return str(path)


@pytest.mark.parametrize(
    ("file", "system", "k", "kind", "expected"), [row for row in PUBLISHED if (OUTCOMES / row[0]).is_file()]
)
def test_published_rates_come_out(file, system, k, kind, expected):
    """Counts that others published give the rates that they published."""
    ran = passband("stats", str(OUTCOMES / file), "--system", system, "--format", "json")
    value = 100 * json.loads(ran.out)[system][f"pass_{kind}_k"][str(k)]["value"]
    assert value == pytest.approx(expected, abs=0.005 if expected * 10 % 1 else 0.05)


def test_every_system_has_a_line(counts):
    """The text has a line a system with both intervals, and one a system for pass@k and pass^k."""
    ran = passband("stats", counts, "--plot")
    lines = ran.out.splitlines()
    assert lines[0].split()[:4] == ["system", "tasks", "samples", "pass@1"]
    old = next(line for line in lines if line.startswith("old"))
    assert old.split()[1:4] == ["4", "16", "43.8"]
    assert "●" in old
    assert sum(line.startswith("new") for line in lines) == 2


def test_rates_of_several_tries_have_intervals(counts):
    """Each pass@k and pass^k of the text stands beside its interval, the one of the JSON."""
    made = json.loads(passband("stats", counts, "--system", "old", "--format", "json").out)["old"]
    line = passband("stats", counts, "--system", "old").out.splitlines()[-1].split(maxsplit=1)
    assert line[0] == "4"
    for curve in ("pass_at_k", "pass_hat_k"):
        found = made[curve]["4"]
        assert f"{100 * found['value']:.1f}  [{100 * found['low']:.1f}, {100 * found['high']:.1f}]" in line[1]


def test_comparing_and_planning(counts):
    """A pair is compared task by task, and serves as the pilot of the next comparison."""
    ran = passband("stats", counts, "--compare", "old", "new", "--power", "5", "--format", "json")
    made = json.loads(ran.out)
    assert made["comparison"]["difference"]["estimate"]["value"] == pytest.approx((0 + 1 / 4 + 2 / 4 + 1 / 4) / 4)
    # Differences 0, 1/4, 2/4, 1/4: SD sqrt(1/24); (z.975 + z.8) SD / 0.05 squared is 130.8, and Student's t and the
    # imagined quarter of a sample take some more.
    assert made["power"]["sd_paired"] == pytest.approx((1 / 24) ** 0.5)
    assert 131 < made["power"]["tasks_paired"] < 140
    # Rates 1, .5, .25, 0 and 1, .75, .75, .25 have variances 35/192 and 19/192: 2 (z.975 + z.8)² × their mean / 0.05².
    assert made["power"]["tasks_unpaired"] == 883
    text = passband("stats", counts, "--compare", "old", "new", "--power", "5").out
    assert f"paired    {made['power']['tasks_paired']} tasks" in text


def test_a_plan_and_its_comparison_name_one_detectable_difference(counts):
    """What the tasks at hand can find is the same number in the comparison and in the plan made from it."""
    made = json.loads(passband("stats", counts, "--compare", "old", "new", "--power", "5", "--format", "json").out)
    assert made["power"]["detectable"] == pytest.approx(made["comparison"]["detectable"], rel=1e-9)


def test_a_comparison_exits_as_compare_does(counts, tmp_path):
    """The exit code is 3 where the difference is unclear, 1 where the second is worse, 0 where it is better."""
    clear = tmp_path / "clear.csv"
    rows = [f"{name},t{i},10,{passed}" for name, passed in (("low", 1), ("high", 9)) for i in range(12)]
    clear.write_text("\n".join(["system,task_id,n,c", *rows]) + "\n")
    assert passband("stats", counts, "--compare", "old", "new").code == 3
    assert passband("stats", str(clear), "--compare", "high", "low").code == 1
    assert passband("stats", str(clear), "--compare", "low", "high").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--system", "od"], "did you mean 'old'"),
        (["--compare", "old", "newer"], "no system named 'newer'"),
        (["--power", "2"], "add --compare A B"),
        (["--compare", "old", "new", "--plot"], "--compare has no use for --plot"),
        (["--compare", "old", "new", "--system", "old"], "--compare has no use for --system"),
        (["--compare", "old", "new", "--power", "-1"], "give 2 for two points"),
    ],
)
def test_mistakes_are_one_line(counts, arguments, words):
    """Each way to ask wrongly gets one line with a way out."""
    ran = passband("stats", counts, *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_pilot_without_differences_says_so(tmp_path):
    """Two systems that agree on every task tell nothing of what the next comparison needs."""
    path = tmp_path / "c.csv"
    path.write_text("system,task_id,n,c\na,x,2,1\na,y,2,2\nb,x,2,1\nb,y,2,2\n")
    assert "tells nothing of what is needed" in passband("stats", str(path), "--compare", "a", "b", "--power", "2").out
