from pathlib import Path

import pytest

from passband.aggregate import read_counts, summarize
from passband.compare import compare_runs
from passband.errors import DataError, UnknownNameError

OUTCOMES = Path(__file__).parents[2] / "../shared/data/outcomes"


def write(path, text):
    path.write_text(text)
    return path


def test_counts_become_runs(tmp_path):
    """Successes, failures and errored samples of a counts file are those of the runs made of it, slices included."""
    path = write(
        tmp_path / "c.csv",
        "system,task_id,n,c,errored,slice:kind\na,x,4,1,0,easy\na,y,2,2,2,hard\nb,x,4,4,0,easy\n",
    )
    tables = read_counts(path)
    assert list(tables) == ["a", "b"]
    summary = summarize(tables["a"])
    assert [(case.id, case.c, case.n, case.errored) for case in summary.cases] == [("x", 1, 4, 0), ("y", 2, 2, 2)]
    assert summary.flaky_count == 0
    assert [part.value for part in summary.slices] == ["easy", "hard"]
    assert list(read_counts(path, "b")) == ["b"]
    assert compare_runs(tables["a"], tables["b"]).paired_by == "case"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("task_id,n\nx,1\n", "no column c"),
        ("task_id,n,c,speed\nx,1,1,3\n", "unknown column 'speed'.*slice:speed"),
        ("task_id,n,c\nx,2,0.5\n", "c.csv:2.*no counts.*partial reward"),
        ("task_id,n,c\nx,2,nan\n", "no counts"),
        ("task_id,n,c\nx,2,3\n", "makes no sense"),
        ("task_id,n,c\nx,0,0\n", "makes no sense"),
        ("task_id,n,c\nx,2,1\nx,2,1\n", "c.csv:3.*twice"),
        ("task_id,n,c\nx,2\n", "number of fields"),
        ("task_id,n,c\n", "no row"),
        ("", "no column"),
    ],
)
def test_what_is_no_counts_file_is_refused_with_its_line(tmp_path, text, match):
    """Missing and unknown columns, partial rewards, impossible counts and repeated tasks are errors."""
    with pytest.raises(DataError, match=match):
        read_counts(write(tmp_path / "c.csv", text))


def test_an_unknown_system_is_named(tmp_path):
    """A misspelt system gets a suggestion; a missing file an error."""
    path = write(tmp_path / "c.csv", "system,task_id,n,c\nalpha,x,1,1\n")
    with pytest.raises(UnknownNameError, match="did you mean 'alpha'"):
        read_counts(path, "alhpa")
    with pytest.raises(DataError, match="cannot be read"):
        read_counts(tmp_path / "none.csv")


@pytest.mark.parametrize("path", sorted(OUTCOMES.glob("swebench_pro.csv")))
def test_systems_with_unequal_task_sets_are_compared_on_shared_tasks(path):
    """Opus 4.1 and Sonnet 4 share 663 tasks: 24.4% against 25.0%, 10 against 14, exact p .54, not 23.1 against 25.0."""
    tables = read_counts(path)
    found = compare_runs(tables["claude-opus-4-1-paper"], tables["claude-sonnet-4-paper"])
    assert found.n_shared == 663
    assert len(found.only_baseline) == 228
    assert [round(100 * rate, 1) for rate in found.rates] == [24.4, 25.0]
    assert (found.difference.n_worse, found.difference.n_better) == (10, 14)
    assert found.difference.sign_flip_p == pytest.approx(0.54, abs=0.005)
    assert found.verdict == "unclear"
