from passband.aggregate import ErrorCause, count_causes, summarize
from tests.tables import table


def test_causes_are_counted_the_most_frequent_first():
    """Causes that differ in numbers alone are one, shown as the first of them stands."""
    found = count_causes(["port 80 is taken", "refused", "port 81 is taken", "refused", "refused", "at 0xdeadbeef"])
    assert found == (
        ErrorCause("refused", 3),
        ErrorCause("port 80 is taken", 2),
        ErrorCause("at 0xdeadbeef", 1),
    )


def test_a_cause_is_one_line_and_not_endless():
    """Of a long fault the beginning of its first line is kept, and an empty one is said to be none."""
    assert count_causes(["\nTraceback\n  of many lines"]) == (ErrorCause("Traceback", 1),)
    assert len(count_causes(["x" * 10_000])[0].cause) == 300
    assert count_causes([" "]) == (ErrorCause("no cause was written down", 1),)
    assert count_causes([]) == ()


def test_a_summary_carries_the_causes_it_is_given():
    """The account of errors has them; without, it has none."""
    run = table({"a": "PE", "b": "EE"})
    assert summarize(run).errors.causes == ()
    assert summarize(run, causes=["gone"] * 3).errors.causes == (ErrorCause("gone", 3),)
