import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import UsageError
from tests.stored import store_run


@pytest.fixture
def runs():
    """Three runs in one store."""
    for name in ("a", "b", "c"):
        store_run("s.db", name, dict.fromkeys(("x", "y", "z"), "PPFF"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("compare a b --recipe --narrowing", "--recipe has no use for --narrowing"),
        ("compare a b --recipe --by kind", "--recipe has no use for --by"),
        ("compare a b --recipe --headline a=50", "--recipe has no use for --headline"),
        ("compare a b --recipe --quarantine q.toml", "--recipe has no use for --quarantine"),
        ("compare a b --narrowing --margin 2", "--narrowing has no use for --margin"),
        ("compare a b --narrowing --by kind", "--narrowing has no use for --by"),
        ("compare a b --action x", "add --narrowing"),
        ("compare a b c --margin 2", "a ranking of 3 runs has no use for --margin"),
        ("compare a b c --by kind", "a ranking of 3 runs has no use for --by"),
        ("compare a b c --narrowing", "a ranking of 3 runs has no use for --narrowing"),
        ("select a b --on-test --i-know --test c", "--on-test has no use for --test"),
        ("suite audit - builtin --baseline a", "add --measure RUN"),
        ("gate a --example", "leave out the run"),
    ],
)
def test_an_option_without_effect_is_refused(runs, words, said):
    """What was asked and what was given beside it must go together: nothing is left out in silence."""
    result = CliRunner().invoke(cli, [*words.split(), "--store", "s.db"], standalone_mode=False)
    assert isinstance(result.exception, UsageError), result.output
    assert said in str(result.exception)
