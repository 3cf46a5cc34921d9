"""Reports on terminals of several widths, and of one of everything."""

import json
import random
import re

import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.records import EvalCase, ExactMatchSpec, Split, encode
from passband.suite import EvalSuite, dump_jsonl, load_suite
from tests.stored import store_run

CASES = [f"case-{i:02}" for i in range(24)]
SLICES = {case: {"difficulty": ["easy", "hard"][i % 2]} for i, case in enumerate(CASES)}
AGENT = """
def says(view, seed):
    return view.inputs["q"]
"""
POLICY = """\
[[rule]]
kind = "no_worse"
margin = 2
[[rule]]
kind = "floor"
min = 50
[[rule]]
kind = "case_floor"
min = 10
advisory = true
[[rule]]
kind = "infra_errors"
max = 1
"""
CLAIM = """\
name = "a claim with a name that is long enough to be folded"
tasks = 500
baseline = 41.0
candidate = 43.4
about = "recipe"
samples = 1
runs = 1
chosen = "unsaid"
of = 5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store of five runs, one of them of a single sample, and the files that commands take."""
    root = tmp_path_factory.mktemp("widths")
    for name, rate, errors in (
        ("base", 0.3, 0),
        ("cand", 0.7, 0.1),
        ("third", 0.65, 0),
        ("fourth", 0.2, 0.3),
        ("a5", 0.3, 0),
        ("a6", 0.7, 0),
    ):
        rng = random.Random(name)
        letters = {
            case: "".join("E" if rng.random() < errors else "FP"[rng.random() < rate] for _ in range(8))
            for case in CASES
        }
        store_run(root / "s.db", name, letters, slices=SLICES)
    store_run(root / "one.db", "one", {"only": "P"})
    parts = {"validation": tuple(CASES[:12]), "test": tuple(CASES[12:])}
    (root / "split.json").write_bytes(encode(Split(suite="s", suite_version="v" * 64, by="variant", parts=parts)))
    (root / "selection.toml").write_text('split = "split.json"\nchoose = "best"\n')
    (root / "gate.toml").write_text(POLICY)
    (root / "floor.toml").write_text('[[rule]]\nkind = "floor"\nmin = 50\n')
    (root / "claim.toml").write_text(CLAIM)
    rows = [f"{name},t{i},4,{(i * step) % 5}" for name, step in (("old", 3), ("new", 2)) for i in range(12)]
    (root / "counts.csv").write_text("system,task_id,n,c\n" + "\n".join(rows) + "\n")
    answer = "the answer that nobody would guess"
    cases = tuple(
        EvalCase(
            id=f"q{i}",
            inputs={"q": f"say it: {answer} {i}" if i else "say something"},
            grader_spec=ExactMatchSpec(),
            reference=f"{answer} {i}",
            slices={"kind": "said"},
        )
        for i in range(3)
    )
    (root / "suite.jsonl").write_bytes(dump_jsonl(EvalSuite("suite", cases)))
    (root / "single.jsonl").write_bytes(dump_jsonl(EvalSuite("single", cases[:1])))
    (root / "widths_agent.py").write_text(AGENT)
    (root / "plan.toml").write_text('suite = "suite.jsonl"\n[[subject]]\nspec = "python:widths_agent:says"\nn = 1\n')
    return root


COMMANDS = [
    "show base",
    "show cand case-03",
    "show one.db",
    "runs",
    "runs --store one.db",
    "compare base cand",
    "compare base cand --margin 2",
    "compare base cand third fourth",
    "compare base cand --narrowing",
    "compare --recipe base,fourth,a5 cand,third,a6",
    "compare counts.csv",
    "stats counts.csv",
    "stats counts.csv --compare old new --power 2",
    "gate cand --baseline base --policy gate.toml",
    "gate one.db --policy floor.toml",
    "review claim.toml",
    "select base cand third",
    "select base third",
    "ledger",
    "drift base cand",
    "flaky base",
    "flaky one.db",
    "suite hash suite.jsonl --cases",
    "suite hash single.jsonl",
    "suite audit - suite.jsonl",
    "suite audit single.jsonl single.jsonl",
    "suite split suite.jsonl --share test=0.5",
    "suite check suite.jsonl",
    "suite check single.jsonl",
    "canary record plan.toml -o canary.json",
    "canary check canary.json",
    "store check s.db",
    "store check one.db",
    "store merge one.db -o merged.db",
    "run single.jsonl --subject python:widths_agent:says -n 1 --store run.db --unsafe",
]


def output(folder, monkeypatch, command, **environment):
    """What a command prints on standard output, in the folder."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    for name in ("run.db", "merged.db"):
        (folder / name).unlink(missing_ok=True)
    if "check canary.json" in command and not (folder / "canary.json").exists():
        output(folder, monkeypatch, "canary record plan.toml -o canary.json")
    words = command.split()
    stored = words[0] in {"show", "runs", "compare", "gate", "select", "ledger", "drift", "flaky"}
    if stored and "--store" not in words:
        words += ["--store", "s.db"]
    result = CliRunner().invoke(cli, words, standalone_mode=False, env=environment)
    assert result.exception is None, (command, result.exception)
    assert result.stdout.strip(), command
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_reports_fold_to_the_terminal(folder, monkeypatch, command):
    """No line is longer than the terminal unless a single word is, and folding loses no word."""
    whole = output(folder, monkeypatch, command)
    for width in (40, 60, 80, 120):
        text = output(folder, monkeypatch, command, COLUMNS=str(width))
        for line in text.split("\n"):
            assert len(line) <= width or len(line.split()) == 1, (width, line)
        if not command.startswith(("compare base", "compare counts", "stats counts.csv --compare", "run ", "select ")):
            # Those turn their tables, say how long it took, or what was reported before.
            assert text.split() == whole.split(), width


def test_the_demo_folds(folder, monkeypatch):
    """What a newcomer sees first fits a narrow terminal too."""
    few = EvalSuite("few", tuple(load_suite("builtin"))[:2])  # the whole suite takes its time
    (folder / "few.jsonl").write_bytes(dump_jsonl(few))
    monkeypatch.setattr("passband.suite.BUILTIN", "few.jsonl")
    text = output(folder, monkeypatch, "demo", COLUMNS="40")
    assert "mutator-focus" in text
    assert all(len(line) <= 40 or len(line.split()) == 1 for line in text.split("\n"))


@pytest.mark.parametrize("command", COMMANDS)
def test_one_of_a_thing_is_singular(folder, monkeypatch, command):
    """No report counts one of a thing in the plural, or several in the singular."""
    text = output(folder, monkeypatch, command)
    nouns = "run|task|case|sample|model|rule|document|reference subject|evaluation|value|field|error|seed|repeat"
    assert not re.findall(rf"(?<![\d.,/])\b1 (?:{nouns})s\b", text)
    assert not re.findall(rf"\b(?:[2-9]|\d+\d) (?:{nouns})\b(?! pass)", text)


@pytest.mark.parametrize(
    "command", ["compare base cand", "gate cand --policy floor.toml", "review claim.toml", "ledger"]
)
def test_what_programs_read_is_not_folded(folder, monkeypatch, command):
    """JSON is the same bytes on any terminal."""
    narrow = output(folder, monkeypatch, f"{command} --format json", COLUMNS="40")
    assert narrow == output(folder, monkeypatch, f"{command} --format json")
    json.loads(narrow)
