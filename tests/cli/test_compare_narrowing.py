import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import UsageError
from tests.stored import store_run

RUNS = ("base", "cand")


@pytest.fixture(autouse=True)
def stored():
    """One case that every sample solves after training, and one that only the baseline's answer 1 solves."""
    store_run("s.db", "base", {"kept": "P1F2F2F2", "gone": "P1P1F2F3"})
    store_run("s.db", "cand", {"kept": "P1P1P1P1", "gone": "F2F2F2F2"})


def narrowing(*arguments):
    """Run the command."""
    command = ["compare", *RUNS, "--narrowing", "--store", "s.db", *arguments]
    return CliRunner().invoke(cli, command, standalone_mode=False)


def test_answers_that_replaced_others_stand_below_the_case():
    """Without a pattern an action is a whole answer; those that solved the case come first among the lost."""
    lines = [" ".join(line.split()) for line in narrowing().output.splitlines()]
    assert lines[lines.index("more 2 1→4") - 1].startswith("lost at k = 4: gone 2/4→0/4 100%")
    assert lines[lines.index("more 2 1→4") + 1] == "less 1 2→0 solves"


def test_a_pattern_says_what_an_action_is():
    """Answers in which it finds nothing are counted as such."""
    lines = [" ".join(line.split()) for line in narrowing("--action", "[13]").output.splitlines()]
    assert "more (none) 1→4" in lines
    assert "less 1 2→0 solves" in lines
    assert "less 3 1→0" in lines


def test_a_pattern_that_is_none():
    """It is a usage error that says what is wrong with it."""
    assert isinstance(narrowing("--action", "(").exception, UsageError)


def test_counts_have_no_answers(tmp_path):
    """Of a counts file the curves are compared, and no action is named."""
    rows = ["system,task_id,n,c", "base,kept,4,1", "base,gone,4,2", "cand,kept,4,4", "cand,gone,4,0"]
    (tmp_path / "counts.csv").write_text("\n".join(rows))
    command = ["compare", str(tmp_path / "counts.csv"), "--narrowing"]
    output = CliRunner().invoke(cli, command, standalone_mode=False).output
    assert "lost at k = 4: gone" in output
    assert "less" not in output.replace("like these", "")
