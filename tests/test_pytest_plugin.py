import json
import re
from xml.etree import ElementTree as ET

import pytest

from passband.stats import clopper_pearson_interval

pytest_plugins = ["pytester"]

clopper_pearson_interval(1, 2)  # loads what the plugin will: compiled modules can be loaded once in a process

PLUGIN = ("-p", "passband.pytest_plugin", "-p", "no:cacheprovider")


def run(pytester, *arguments):
    """Run the made tests."""
    return pytester.runpytest_inprocess(*PLUGIN, *arguments)


def made(pytester, passes, mark):
    """A test whose sample i passes where the i-th letter of `passes` is P, errs in its fixture where it is E."""
    pytester.makepyfile(f"""
        import pytest

        @pytest.fixture
        def letter(passband_sample):
            found = {passes!r}[passband_sample.index]
            assert found != "E", "the fixture broke"
            return found

        @pytest.mark.passband({mark})
        def test_it(letter):
            assert letter == "P", "the sample failed"
    """)


@pytest.mark.parametrize(
    ("passes", "mark", "outcome", "glyph"),
    [
        ("PPPPPPPP", "n=8, min_rate=0.5", "passed", "✓"),
        ("PPPPFFFF", "n=8, min_rate=0.9", "failed", "✗"),
        ("PPPPPPPF", "n=8, min_rate=0.9", "passed", "?"),
        ("PPPPPPPF", "n=8, min_rate=0.9, strict=True", "failed", "?"),
        ("PPPPPPPP", "n=8, min_rate=0.5, strict=True", "passed", "✓"),
    ],
)
def test_outcome_glyph_and_interval_agree(pytester, passes, mark, outcome, glyph):
    """A test fails where its whole interval is below the rate, and where strict also where it crosses."""
    made(pytester, passes, mark)
    result = run(pytester)
    result.assert_outcomes(**{outcome: 1})
    text = result.stdout.str()
    (line,) = [line for line in text.splitlines() if re.match(rf"\{glyph} ", line)]
    c, n = passes.count("P"), len(passes)
    estimate = clopper_pearson_interval(c, n)
    assert f"{c} of {n} samples passed" in line
    assert f"[{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]" in line
    if outcome == "failed":
        assert "95% CI" in text.split("passband: ")[1].split("\n")[0]
        assert "the sample failed" in text


def test_a_fixture_that_breaks_is_no_failure(pytester):
    """Samples without a verdict leave rate and n; where no sample has one, the test is an error as ever."""
    made(pytester, "PPEPPEPP", "n=8, min_rate=0.4")
    result = run(pytester)
    result.assert_outcomes(passed=1)
    assert "6 of 6 samples passed, 2 without a verdict" in result.stdout.str()
    made(pytester, "EEEE", "n=4, min_rate=0.5")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    assert "the fixture broke" in result.stdout.str()


def test_every_sample_has_fresh_fixtures_and_wider_ones_stay(pytester):
    """Function-scoped fixtures are made n times, module-scoped ones once, and all are torn down."""
    pytester.makepyfile("""
        import pathlib
        import pytest

        LOG = []

        @pytest.fixture(scope="module")
        def wide():
            LOG.append("wide")
            yield
            LOG.append("wide down")
            pathlib.Path("log").write_text(",".join(LOG))

        @pytest.fixture
        def narrow(wide, tmp_path):
            assert not list(tmp_path.iterdir())
            (tmp_path / "mark").touch()
            LOG.append("narrow")
            yield
            LOG.append("down")

        @pytest.mark.passband(n=3, min_rate=0.2)
        def test_it(narrow):
            pass

        def test_other(wide):
            pass
    """)
    run(pytester).assert_outcomes(passed=2)
    assert (pytester.path / "log").read_text() == "wide,narrow,down,narrow,down,narrow,down,wide down"


def test_it_works_under_xdist_and_seeds_are_the_same(pytester):
    """Two workers give the verdicts, lines and seeds that one process gives."""
    pytester.makepyfile("""
        import pathlib
        import pytest

        @pytest.mark.parametrize("x", range(4))
        @pytest.mark.passband(n=5, min_rate=0.9)
        def test_it(x, passband_sample):
            with pathlib.Path(f"seeds-{x}").open("a") as file:
                file.write(f"{passband_sample.seed} ")
            assert x != 3
    """)
    seeds = []
    for arguments in ((), ("-n", "2")):
        result = run(pytester, *arguments)
        result.assert_outcomes(passed=3, failed=1)
        text = result.stdout.str()
        assert len([line for line in text.splitlines() if line.startswith("? ")]) == 3
        assert len([line for line in text.splitlines() if line.startswith("✗ ")]) == 1
        seeds.append([(pytester.path / f"seeds-{x}").read_text().split() for x in range(4)])
        for x in range(4):
            (pytester.path / f"seeds-{x}").unlink()
    assert seeds[0] == seeds[1]
    assert len({seed for row in seeds[0] for seed in row}) == 20


def test_skips_xfails_and_classes_are_as_ever(pytester):
    """A skipped test is skipped, methods work, and a test without the mark runs once."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.passband(n=3)
        def test_skipped():
            pytest.skip("not here")

        @pytest.mark.passband(n=3, min_rate=0.1)
        class TestIt:
            count = 0

            def test_method(self):
                type(self).count += 1

        def test_after(passband_sample):
            assert TestIt.count == 3
            assert passband_sample.index == 0
    """)
    run(pytester).assert_outcomes(passed=2, skipped=1)


def test_junit_holds_the_verdict(pytester):
    """The test is one test case in JUnit, failed with the interval, with the numbers as its property."""
    made(pytester, "FFFFFFFF", "n=8, min_rate=0.9")
    run(pytester, "--junitxml=out.xml")
    (case,) = ET.parse(pytester.path / "out.xml").getroot().iter("testcase")
    assert "95% CI" in case.find("failure").get("message")
    assert "passband" in {entry.get("name") for entry in case.iter("property")}


@pytest.mark.parametrize(
    ("mark", "match"),
    [("n=0", "no number of samples"), ("8", "arguments are named"), ("samples=8", "unknown argument 'samples'"),
     ("min_rate=90", "no fractions")],
)  # fmt: skip
def test_a_mark_that_can_not_be_read_is_refused(pytester, mark, match):
    """A test with a wrong mark is an error that says why, and the tests beside it run."""
    made(pytester, "PPPPPPPP", mark)
    pytester.makepyfile(test_beside="def test_beside():\n    pass\n")
    result = run(pytester)
    result.assert_outcomes(errors=1, passed=1)
    assert match in result.stdout.str()


def test_the_number_of_samples_can_be_set_for_all(pytester):
    """--passband-n draws more, or fewer, whatever the marks say."""
    made(pytester, "P" * 40, "n=8, min_rate=0.9")
    result = run(pytester, "--passband-n", "40")
    assert "✓" in result.stdout.str()
    assert "40 of 40" in result.stdout.str()


def test_the_plugin_costs_next_to_nothing_where_it_is_not_used(pytester):
    """Without a marked test neither numpy nor scipy is imported."""
    pytester.makepyfile("""
        import json, pathlib, sys

        def test_it():
            heavy = [name for name in ("numpy", "scipy", "msgspec", "rich") if name in sys.modules]
            pathlib.Path("heavy").write_text(json.dumps(heavy))
    """)
    pytester.runpytest_subprocess(*PLUGIN, "-p", "no:xdist").assert_outcomes(passed=1)
    assert json.loads((pytester.path / "heavy").read_text()) == []
