import pytest

from passband.aggregate import read_counts, summarize
from passband.compare import compare_runs
from passband.errors import DataError, UnknownNameError, UsageError


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
        ("task_id,success\nx,0.5\n", "c.csv:2.*neither 0 nor 1.*partial reward"),
        ("task_id,n,c,speed\nx,1,1,3\n", "unknown column 'speed'.*slice:speed"),
        ("task_id,n,c\nx,2,0.5\n", "c.csv:2.*no counts.*partial reward"),
        ("task_id,n,c\nx,2,nan\n", "no counts"),
        ("task_id,n,c\nx,2,3\n", "makes no sense"),
        ("task_id,n,c\nx,0,0\n", "makes no sense"),
        ("task_id,n,c\nx,2,1\nx,2,1\n", "c.csv:3.*twice"),
        ("task_id,n,c\nx,2\n", "number of fields"),
        ("task_id,n,c\n ,2,1\n", "c.csv:2: task_id is blank"),
        ("system,task_id,n,c\n,x,2,1\n", "c.csv:2: system is blank"),
        ("benchmark,task_id,success\n\t,x,1\n", "c.csv:2: benchmark is blank"),
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


def test_tasks_of_unequal_numbers_of_samples_miss_nothing(tmp_path):
    """In a counts file a task has the samples it has: none is missing, and none is to be drawn yet."""
    path = write(tmp_path / "c.csv", "system,task_id,n,c,errored\na,x,4,1,0\na,y,2,2,0\nb,x,3,1,1\nb,y,2,1,0\n")
    tables = read_counts(path)
    summary = summarize(tables["a"])
    assert (summary.errors.scheduled, summary.errors.missing, summary.errors.worst) == (6, 0, 0.625)
    assert summary.warnings == ()
    found = compare_runs(tables["a"], tables["b"])
    assert found.fragility.missing == (0, 1)
    assert found.scheduled == (6, 6)


def test_rows_of_single_samples_are_counted(tmp_path):
    """A row a sample gives the same counts as a row a task."""
    path = write(tmp_path / "c.csv", "system,task_id,success\na,x,1\na,y,0\na,x,0\na,x,1.0\na,y,false\n")
    cases = summarize(read_counts(path)["a"]).cases
    assert [(case.id, case.c, case.n) for case in cases] == [("x", 2, 3), ("y", 0, 2)]


def test_benchmarks_of_one_file_are_kept_apart(tmp_path):
    """Equal task ids of two benchmarks are different tasks, and their systems are not compared in silence."""
    path = write(tmp_path / "c.csv", "benchmark,system,task_id,n,c\np,a,x,2,1\nq,a,x,2,2\n")
    tables = read_counts(path)
    assert list(tables) == ["p/a", "q/a"]
    assert list(read_counts(path, "q/a")) == ["q/a"]
    with pytest.raises(UsageError, match="suite"):
        compare_runs(tables["p/a"], tables["q/a"])
