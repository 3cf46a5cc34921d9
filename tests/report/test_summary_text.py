import re
import shlex

import pytest
from click.testing import CliRunner

from passband.aggregate import summarize
from passband.cli.app import cli
from passband.compare import compare_runs
from passband.report import render_case, render_comparison, render_summary
from passband.report.words import many, money, printable, seconds
from tests.stored import store_run
from tests.tables import table


def words(made):
    return " ".join(render_summary(summarize(made)).split())


def test_bounds_stand_beside_errors_and_undrawn_samples_have_a_line_of_their_own():
    """Without an error there is nothing to bound; what is not drawn is no error."""
    partial = words(table({"x": "PPF-", "y": "PF--"}))
    assert "infra errors 0.0% 0 of 8, not scored not drawn yet 3 of 8 in no number" in partial
    assert "whatever" not in partial
    errored = words(table({"x": "PPFE", "y": "PFFF"}))
    assert "pass@1 37.5 to 50.0 whatever they were" in errored
    assert "not drawn" not in errored


@pytest.mark.parametrize(
    ("cases", "word"),
    [
        ({"x": "EEEE"}, "NO RESULT"),
        ({"x": "PEEE"}, "PARTIAL"),
        ({"x": "PPEE"}, "DONE"),
        ({"x": "PP--"}, "PARTIAL"),
        ({"x": "EE--"}, "NO RESULT"),
    ],
)
def test_a_run_is_done_only_where_half_of_it_could_be_graded(cases, word):
    """A run whose samples mostly errored, or of which nothing could be graded, says so in its first word."""
    assert render_summary(summarize(table(cases))).startswith(f"{word}  ")


def test_one_is_not_many():
    """One task, one sample, one case: no plural of one anywhere in a run's or a comparison's text."""
    one = table({"x": "S"}, slices={"x": {"kind": "a"}})
    texts = [render_summary(summarize(one)), render_comparison(compare_runs(one, table({"x": "P"})))]
    texts.append(
        render_comparison(compare_runs(table({"x": "P", "only": "P"}), table({"x": "E", "y": "P", "only": "P"})))
    )
    for text in texts:
        assert not re.search(r"(?<![\d.,])1 (tasks|samples|cases|runs|models|rules|values)\b", text), text
    assert (many(1, "task"), many(0, "task"), many(10_000, "task")) == ("1 task", "0 tasks", "10,000 tasks")


def test_seconds_have_no_exponent():
    """Short times are microseconds, long ones have separators."""
    assert [seconds(s) for s in (3.1e-05, 0.031, 1.5, 12345.0, 0.0, 1e-9)] == [
        "31 µs",
        "0.031 s",
        "1.5 s",
        "12,345 s",
        "0 s",
        "under 1 µs",
    ]


def test_ids_that_turn_the_line_are_escaped():
    """Controls and format characters, bidi overrides among them, show as escapes wherever a foreign id stands."""
    assert printable("a\u202eb\u200b\x1b") == r"a\u202eb\u200b\x1b"
    name = "ab\u202ecd"
    made = table({name: "PF", "y": "PP"}, run_id=name)
    other = table({name: "FF", "y": "PP"}, run_id="cand")
    texts = [
        render_summary(summarize(made)),
        render_case(summarize(made), name, []),
        render_comparison(compare_runs(made, other)),
    ]
    for text in texts:
        assert "\u202e" not in text
        assert r"\u202e" in text


def test_commands_that_are_offered_can_be_pasted():
    """Names with blanks are quoted, and a store that is not the default is named."""
    made = table({"a case": "PF", "y": "PP"}, run_id="my run")
    text = render_summary(summarize(made), at="--store 'my store.db'")
    line = next(line for line in text.split("\n") if line.startswith("next: "))
    first = line.removeprefix("next: ").split("    ")[0]
    assert shlex.split(first) == ["passband", "show", "my run", "a case", "--store", "my store.db"]
    text = render_comparison(
        compare_runs(made, table({"a case": "PP", "y": "PP"})), names=("my run", "b.db"), at="--store s.db"
    )
    assert "passband show b.db 'a case' --store s.db" in text
    assert "passband gate b.db --baseline 'my run' --policy gate.toml --store s.db" in text


@pytest.mark.parametrize("columns", [40, 60, 80, 99])
def test_a_narrow_terminal_folds_lines(columns):
    """Nothing is wider than the terminal but a word that is, and nothing but the drawing is lost."""
    slices = {f"c{i}": {"kind": "ab"[i % 2]} for i in range(20)}
    found = compare_runs(
        table({f"c{i}": "PFFE" for i in range(20)}, run_id="base", slices=slices),
        table({f"c{i}": "PPPF" for i in range(20)}, run_id="cand", slices=slices),
    )
    wide, narrow = render_comparison(found), render_comparison(found, columns=columns)
    assert max(map(len, narrow.split("\n"))) <= columns
    drawing = re.compile(r"[├┤│┼─●◂▸╵]+|[-+]\d+ +0 +\+\d+")
    assert narrow.split() == drawing.sub("", wide).split()


def test_safety_stands_beside_a_comparison():
    """Each run's veto has a line, and without one there is none."""
    text = render_comparison(compare_runs(table({"x": "PS", "y": "PP"}), table({"x": "PP", "y": "PP"})))
    assert "safety       base FAILED: 1 sample touched what is forbidden" in text
    assert "cand FAILED" not in text


def test_a_run_against_itself_does_not_differ_and_says_where_the_width_is_from():
    """No difference is neither above nor below, and an SE of 0 does not stand beside an interval unexplained."""
    made = table({f"c{i}": "PPPF" for i in range(20)})
    text = " ".join(render_comparison(compare_runs(made, made)).split())
    assert "does not differ from" in text
    assert "0.0 points above" not in text
    assert "SE 0.0" not in text
    assert "imagined sample" in text


def test_show_names_the_store(tmp_path):
    """What show offers finds the run again."""
    store_run("my s.db", "r", {"x": "PF", "y": "PP"})
    done = CliRunner().invoke(cli, ["show", "r", "--store", "my s.db"], standalone_mode=False)
    assert "passband show r x --store 'my s.db'" in done.output


@pytest.mark.parametrize(("letters", "again"), [("EE--", True), ("PF--", False)])
def test_errored_samples_are_drawn_again_only_where_that_is_said(letters, again):
    """Resuming alone leaves errored samples as they are: where they are too many, the command to type says so."""
    assert ("--resume --retry-errored" in words(table({"x": letters, "y": letters}))) == again


@pytest.mark.parametrize(
    ("usd", "text"), [(0.0, "$0.00"), (57.726, "$57.73"), (0.0123, "$0.0123"), (1.5e-7, "$0.000000150")]
)
def test_a_small_sum_is_written_out(usd, text):
    """No sum is written with an exponent."""
    assert money(usd) == text
