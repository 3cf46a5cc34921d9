import pytest

from passband.compare import leak_effect
from passband.errors import DataError
from passband.report import render_audit
from passband.suite import load_suite
from passband.suite.audit import audit_suite
from tests.tables import table

LEAKED = [f"l{i}" for i in range(20)]
CLEAN = [f"c{i}" for i in range(20)]


def run(leaked, clean, name="run"):
    return table(dict.fromkeys(LEAKED, leaked) | dict.fromkeys(CLEAN, clean), run_id=name)


def test_a_gain_on_leaked_cases_alone_is_seen():
    """A run that gains over the baseline on leaked cases only is shown to have profited."""
    base, cand = run("PFFF", "PPFF", "base"), run("PPPP", "PPFF", "cand")
    found = leak_effect(cand, LEAKED, base)
    assert found.paired
    assert found.effect.estimate.value == pytest.approx(0.75)
    assert found.effect.estimate.low > 0
    assert (found.pass_at_1_clean, found.pass_at_1_all) == (0.5, 0.75)


def test_pairing_takes_difficulty_out():
    """Harder leaked cases look like a loss without a baseline, and like nothing with one."""
    base, cand = run("PFFF", "PPPF", "base"), run("PFFF", "PPPF", "cand")
    assert leak_effect(cand, LEAKED).effect.estimate.high < 0
    assert leak_effect(cand, LEAKED, base).effect.estimate.value == 0


def test_one_half_alone_can_not_be_compared():
    """Without a leaked or without a clean case there is nothing to hold against each other."""
    with pytest.raises(DataError, match="no leaked"):
        leak_effect(run("PP", "PP"), ["other"])
    with pytest.raises(DataError, match="no clean"):
        leak_effect(run("PP", "PP"), [*LEAKED, *CLEAN])


def test_the_report_says_what_was_measured_and_what_was_not():
    """A channel that was measured shows its effect, one that was not how to measure it."""
    audit = audit_suite(load_suite("builtin"))
    channel = next(channel for channel in audit.channels if channel.hits)
    effect = leak_effect(run("PPPP", "PPFF"), LEAKED, run("PFFF", "PPFF", "base"))
    text = render_audit(audit, {channel.name: effect})
    assert "it moves the number" in text
    assert "measure by" not in text.split(channel.name)[1].split("\n\n")[0]
    assert max(map(len, text.split("\n"))) <= 100
