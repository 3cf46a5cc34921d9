import random
import re

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.cli.app import cli
from passband.compare import compare_runs, exit_code, rank_runs, verdict_of
from passband.report import render_comparison, render_ranking
from tests.stored import store_run
from tests.tables import table

GLYPHS = {"▲": "better", "▼": "worse", "=": "same", "?": "unclear"}
ROW = re.compile(
    r"^(?P<label>.{3,16}?) +(?P<n>\d+) +(?P<a>[\d.]+) → +(?P<b>[\d.]+) +(?P<delta>[+-]?[\d.]+) "
    r"\[ *(?P<low>[+-]?[\d.]+), +(?P<high>[+-]?[\d.]+)\]  (?P<drawing>.+?)  +"
    r"(?P<p><?\.\d+|1\.000) (?P<glyph>[▲▼=?]) (?P<word>\w+)(?P<back> ²)?$"
)


@st.composite
def two_runs(draw):
    """Two runs of many sizes, with errors, slices and shifts between them."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    cases, n = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    shift = draw(st.sampled_from([-0.6, -0.2, 0.0, 0.1, 0.5]))
    errors = draw(st.sampled_from([0.0, 0.1]))

    def run(name, extra):
        texts = {}
        for i in range(cases):
            p = min(max(random.Random(i).random() + extra, 0), 1)
            drawn = ["E" if rng.random() < errors else "FP"[rng.random() < p] for _ in range(n)]
            texts[f"case-{i}"] = "".join(drawn)
        texts["case-0"], texts["case-1"] = "P" * n, "F" * n
        slices = {case: {"kind": "abc"[i % 3]} for i, case in enumerate(texts)}
        return table(texts, run_id=name, slices=slices)

    return run("base", 0.0), run("cand", shift)


@settings(max_examples=300, deadline=None)
@given(two_runs(), st.sampled_from([0.0, 0.02, 0.1, 0.4]))
def test_glyph_interval_p_exit_code_and_text_never_disagree(runs, margin):
    """Every row of the text has the glyph that its own interval gives and the p that fits it; so has the head."""
    found = compare_runs(*runs, margin=margin)
    text = render_comparison(found)
    lines = text.split("\n")
    assert max(map(len, lines)) <= 100
    assert text.startswith(found.verdict.upper())
    assert exit_code(found.verdict) == {"better": 0, "same": 0, "worse": 1, "unclear": 3}[found.verdict]
    estimate = found.difference.estimate
    assert found.decision.verdict == verdict_of(estimate, margin)
    assert found.verdict == ("unclear" if found.taken_back else found.decision.verdict)
    rows = [match for line in lines if (match := ROW.match(line))]
    parts = [part for part in found.slices if part.difference.estimate.n_tasks >= 5]
    expected = [
        (found.difference, found.difference.p_value, found.verdict, found.taken_back),
        *((s.difference, s.p_value, s.verdict, s.taken_back) for s in parts),
    ]
    assert len(rows) == len(expected)
    for row, (difference, p, verdict, back) in zip(rows, expected, strict=True):
        low, high = difference.estimate.low, difference.estimate.high
        assert GLYPHS[row["glyph"]] == row["word"] == verdict
        assert verdict == ("unclear" if back else verdict_of(difference.estimate, margin))
        assert bool(row["back"]) == back
        assert float(row["low"]) == pytest.approx(100 * low, abs=0.0501)
        assert float(row["high"]) == pytest.approx(100 * high, abs=0.0501)
        # The interval leaves 0 out exactly where its p is below the level; what is printed of p keeps its side.
        assert (low > 0 or high < 0) == (p < 0.05)
        printed = 0.0005 if row["p"].startswith("<") else float(row["p"])
        assert (printed < 0.05) == (p < 0.05)
        assert row["drawing"].count("●") == 1 or "◂" in row["drawing"] or "▸" in row["drawing"]
    if found.fragility is not None:
        words = {found.fragility.verdict_against, found.fragility.verdict_favour}
        unchanged = words == {found.decision.verdict} and not found.taken_back
        assert ("Verdict unchanged" in " ".join(text.split())) == unchanged
        assert ("FRAGILE" in text) == (not unchanged)
        head = " ".join(text.split("\n\n")[0].split())
        assert ("FRAGILE" in head or "could turn it" in head) == (not unchanged)


def test_small_slices_fold_into_one_line_and_json_keeps_them():
    """Values of fewer than five tasks have no row; one line counts and names them, and the result keeps the numbers."""
    slices = {f"c{i}": {"bug": "big" if i < 6 else f"small-{i}"} for i in range(30)}
    cases = {f"c{i}": "PPFF" for i in range(30)}
    found = compare_runs(table(cases, slices=slices), table(cases, slices=slices))
    text = render_comparison(found)
    assert len([line for line in text.split("\n") if ROW.match(line)]) == 2
    (line,) = [line for line in text.split("\n") if "left out" in line]
    assert "24 values left out, under 5 tasks each: small-10 1" in line
    assert len(line) <= 100
    assert len(found.slices) == 25


def test_hostile_names_stay_on_their_line():
    """Control characters and long names of cases, slices and runs break neither lines nor width."""
    name = "case\x1b[31m\n" + "x" * 200
    made = table({name: "PPFF", "y": "FFFF"}, run_id="r" * 80, slices={name: {"s\n": "v\r" * 50}, "y": {"s\n": "w"}})
    other = table({name: "FFFF", "y": "FFPP"}, run_id="q\x00" * 20)
    text = render_comparison(compare_runs(made, other), next_steps=[])
    assert not any(ord(ch) < 32 and ch != "\n" for ch in text)
    assert max(map(len, text.split("\n"))) <= 100


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 30))
def test_a_ranking_marks_exactly_the_set(seed, systems, cases):
    """The = of a ranking's text are the systems that may be best, as many as its head says."""
    rng = random.Random(seed)
    tables = [
        table(
            {f"c{i}": "".join("FP"[rng.random() < s / systems] for _ in range(4)) for i in range(cases)},
            run_id=f"run-{s}",
        )
        for s in range(systems)
    ]
    found = rank_runs(tables)
    text = render_ranking(found)
    marked = re.findall(r"^= +(run-\d+)", text, re.MULTILINE)
    assert marked == [system.run_id for system in found.systems if system.may_be_best]
    assert len(marked) == found.tied
    assert text.startswith("BEST") == (found.tied == 1)
    assert max(map(len, text.split("\n"))) <= 100


@pytest.fixture
def stored():
    """Three runs, the last far below."""
    for name, rate in (("base", 0.5), ("cand", 0.8), ("poor", 0.1)):
        rng = random.Random(name)
        cases = {f"c{i}": "".join("FP"[rng.random() < rate] for _ in range(6)) for i in range(40)}
        store_run("s.db", name, cases, seed=len(name) + ord(name[0]))


def invoke(*arguments):
    return CliRunner().invoke(cli, ["compare", *arguments, "--store", "s.db"], standalone_mode=False)


def test_the_command_compares_ranks_and_takes_recipes(stored):
    """Two runs compare, three rank, and lists of runs are recipes; exit codes follow the verdict."""
    assert invoke("base", "cand").return_value == 0
    assert invoke("cand", "poor").return_value == 1
    assert invoke("base", "cand", "--margin", "30").return_value == 3
    ranked = invoke("base", "cand", "poor")
    assert ranked.return_value == 0
    assert ranked.output.startswith("BEST  cand")
    recipe = invoke("--recipe", "base,poor", "cand")
    assert recipe.return_value == 3
    assert "support no claim" in " ".join(recipe.output.split())


def test_a_headline_that_the_samples_do_not_give_is_said(stored):
    """A published number that is not that of the samples is remarked on, and one that is, is not."""
    text = (
        CliRunner().invoke(cli, ["show", "base", "--store", "s.db", "--format", "json"], standalone_mode=False).output
    )
    value = float(re.search(r'"value": ([\d.]+)', text.split('"pass_at_1":')[1])[1])
    assert "!" not in invoke("base", "cand", "--headline", f"base={100 * value:.1f}").stderr
    assert "is not what the samples give" in invoke("base", "cand", "--headline", "base=99.9").stderr


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["base"], "compares with nothing"),
        (["base", "cand", "--level", "0.95"], "from 50 up to 100"),
        (["base", "cand", "--by", "kind"], "no slice named 'kind'"),
        (["base", "cand", "--headline", "base"], "is not RUN=PERCENT"),
        (["base", "cand", "--headline", "bsae=50"], "did you mean 'base'"),
        (["--recipe", "base"], "two lists"),
        (["base", "base", "cand"], "named twice"),
    ],
)
def test_what_can_not_be_compared_is_said(stored, arguments, match):
    """Wrong usage is one line and exit code 2."""
    error = invoke(*arguments).exception
    assert match in str(error)
    assert error.exit_code == 2
