import numpy as np
import pytest

from passband.aggregate import read_counts, summarize
from passband.compare import compare_runs
from passband.errors import DataError, UnknownNameError, UsageError
from passband.records import OUTCOME_CODES, SampleTable
from passband.report import render_comparison


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
        ("task_id,n,c\nx,2,0.5\n", "c.csv:2: c = '0.5' is no count.*partial reward"),
        ("task_id,n,c\nx,2,nan\n", "c = 'nan' is no count"),
        ("task_id,n,c\nx,many,0\n", "n = 'many' is no count; n counts graded samples"),
        ("task_id,n,c\nx,2,3\n", "c = 3 is more than n = 2"),
        ("task_id,n,c\nx,2,-1\n", "c = -1 is below 0"),
        ("task_id,n,c\nx,0,0\n", "n = 0, and none errored; leave the row out, or count in errored"),
        ("task_id,n,c,errored\nx,8,5,-1\n", "errored = -1 is below 0; errored counts samples without a verdict"),
        ("task_id,n,c,errored\nx,8,5,some\n", "errored = 'some' is no count"),
        ("task_id;n;c\nx;2;1\n", "c.csv:1: its columns are parted by ';'; use commas"),
        ("task_id\tn\tc\nx\t2\t1\n", r"parted by '\\t'; use commas"),
        ("task_id,n,c,c\nx,2,1,2\n", "has the column 'c' twice"),
        ("task_id,success,slice:kind\nx,1,a\nx,0,b\n", "c.csv:3: task 'x' was in other slices above"),
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


def test_a_line_that_is_not_utf_8_is_named(tmp_path):
    """Bytes of another encoding are an error with their line, however far down they stand."""
    path = tmp_path / "c.csv"
    rows = [b"task_id,n,c", *(b"task-%d,8,4" % i for i in range(20_000)), "caf\u00e9,8,4".encode("latin-1")]
    path.write_bytes(b"\n".join(rows))
    with pytest.raises(DataError, match="c.csv:20002: is not UTF-8"):
        read_counts(path)


def test_the_suite_of_counts_is_its_benchmark_and_the_ids_of_its_tasks(tmp_path):
    """Files of one task set are one suite, in any order; of another they are another, and no number mixes the two."""

    def version(name, tasks, more="", head="task_id,n,c"):
        path = write(tmp_path / name, f"{head}\n" + "".join(f"{task},8,4\n" for task in tasks) + more)
        return next(iter(read_counts(path).values())).header.harness.suite_version

    one = version("one.csv", ["x", "y"])
    assert version("two.csv", ["y", "x"]) == one
    other = version("three.csv", ["x", "z"])
    assert len({one, other, version("four.csv", ["x", "y", "z"])}) == 3
    tables = [read_counts(tmp_path / f"{name}.csv")["system"] for name in ("one", "three")]
    with pytest.raises(UsageError, match="differ in suite_version.*--allow suite_version"):
        compare_runs(*tables)
    found = compare_runs(*tables, allow=("suite_version",))
    assert (found.only_baseline, found.only_candidate) == (("y",), ("z",))


def test_systems_of_one_file_share_its_suite_whatever_each_of_them_has(tmp_path):
    """A task that one system lacks, or has no verdict of, is named as the other's alone; the suite stays one."""
    path = write(
        tmp_path / "c.csv", "system,task_id,n,c,errored\na,x,8,5,0\na,y,0,0,8\nb,x,8,4,0\nb,y,8,4,0\nb,z,8,4,0\n"
    )
    tables = read_counts(path)
    found = compare_runs(tables["a"], tables["b"])
    assert found.only_candidate == ("y", "z")
    assert "2 cases that only b has verdicts of, in no number: y, z" in render_comparison(found)


def test_columns_of_a_run_of_counts_are_those_of_its_samples(tmp_path):
    """A sample's row says what it is in every column: passed first, then failed, then errored."""
    (made,) = read_counts(write(tmp_path / "c.csv", "task_id,n,c,errored\nx,2,1,1\ny,1,1,0\n")).values()
    again = SampleTable(made.header)
    for case, index, outcome in ((0, 0, "resolved"), (0, 1, "unresolved"), (0, 2, None), (1, 0, "resolved")):
        code = next(i for i, known in enumerate(OUTCOME_CODES) if known == outcome)
        score = None if outcome is None else float(outcome == "resolved")
        again.append(
            case=case, index=index, outcome=code, score=score, answer=len(again), cost_usd=None, tokens=0, seconds=0.0
        )
    for name in SampleTable.COLUMNS:
        mine, theirs = (np.asarray(getattr(each, name)) for each in (made, again))
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine - made.answer[0] if name == "answer" else mine, theirs)
