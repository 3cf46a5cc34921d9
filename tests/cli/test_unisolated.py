"""Every report on runs whose candidates were not isolated says so, in every form it has."""

from __future__ import annotations

import msgspec
import pytest

from passband.cli import app, main
from passband.records import Split, encode
from tests.stored import store_run
from tests.tables import HARNESS

CASES = {f"c{i}": "PPFF" for i in range(6)}
POLICY = 'name = "p"\n[[rule]]\nkind = "floor"\nmin = 10\n'
# What each command on runs is to be asked; `{form}` is each of its forms.
ASKED = {
    "show": (["show", "a"], ["show", "a", "c1"], ["show", "a", "c1", "0"]),
    "compare": (["compare", "a", "b"], ["compare", "a", "b", "--narrowing"], ["compare", "a", "b", "c"]),
    "gate": (["gate", "a"], ["gate", "a", "--baseline", "b"]),
    "select": (["select", "a", "b"],),
    "drift": (["drift", "a", "b"],),
    "flaky": (["flaky", "a"],),
}
# These run candidates themselves or read no run of one's own; what they print of a verdict or a run names the tier.
OTHERS = {
    *("demo", "run", "canary", "grade", "suite", "doctor"),
    *("runs", "stats", "review", "ledger", "store", "schema"),
}


def forms(command):
    """Return the values of a command's ``--format``."""
    found = app.cli.get_command(None, command)
    return next(tuple(p.type.choices) for p in found.params if "--format" in p.opts)


def test_no_command_is_forgotten():
    """A command that is added is either asked here or known to report on no stored run."""
    assert ASKED.keys() | OTHERS == set(app._COMMANDS)
    assert not ASKED.keys() & OTHERS


@pytest.mark.parametrize(
    ("words", "form"),
    [(words, form) for command, asked in ASKED.items() for words in asked for form in forms(command)],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_every_report_names_the_tier(words, form, tmp_path, monkeypatch, capsys):
    """Text, JSON, markdown, JUnit and GitHub's annotations: what reads a run says that nothing isolated it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.toml").write_text(POLICY)
    (tmp_path / "selection.toml").write_text('split = "split.json"\nchoose = "best"\n')
    parts = {"validation": tuple(CASES)[:3], "test": tuple(CASES)[3:]}
    split = Split(suite=HARNESS.suite, suite_version=HARNESS.suite_version, by="x", parts=parts)
    (tmp_path / "split.json").write_bytes(encode(split))
    for name in "abc":
        store_run(tmp_path / "passband.db", name, CASES, sandbox_tier="process")
    with pytest.raises(SystemExit) as ended:
        main([*words, "--format", form])
    said = capsys.readouterr()
    assert ended.value.code in {0, 1, 3}, said.err
    assert "process" in said.out or "without isolation (--unsafe), in process" in said.err


def test_the_gate_says_it_in_what_it_prints(tmp_path, monkeypatch, capsys):
    """A gate's report travels without its standard error: each form holds the note itself."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.toml").write_text(POLICY)
    store_run(tmp_path / "passband.db", "a", CASES, sandbox_tier="process")
    for form in forms("gate"):
        with pytest.raises(SystemExit):
            main(["gate", "a", "--format", form])
        assert "candidates of a ran without isolation (--unsafe), in process" in capsys.readouterr().out


def test_an_isolated_run_is_not_accused(tmp_path, monkeypatch, capsys):
    """Of runs in a sandbox nothing of the kind is said."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        store_run(tmp_path / "passband.db", name, CASES)
    with pytest.raises(SystemExit):
        main(["compare", "a", "b"])
    said = capsys.readouterr()
    assert "isolation" not in said.out + said.err


def test_the_fingerprint_differs():
    """Two harnesses that differ in nothing but the tier are two."""
    assert HARNESS.fingerprint != msgspec.structs.replace(HARNESS, sandbox_tier="process").fingerprint
