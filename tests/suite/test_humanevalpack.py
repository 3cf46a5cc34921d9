import ast
import json

import pytest

from passband.errors import SuiteError
from passband.suite import EvalSuite
from passband.suite.humanevalpack import load_humanevalpack

ROW = {
    "task_id": "Python/900",
    "prompt": 'def helper(x):\n    return x\n\n\ndef total(xs):\n    """Add up."""\n',
    "declaration": "def total(xs):\n",
    "buggy_solution": "    return sum(xs) + 1\n",
    "canonical_solution": "    return sum(xs)\n",
    "test": "\n\ndef check(total):\n    assert total([helper(1), 2]) == 3\n\ncheck(total)",
    "example_test": "def check(total):\n    assert total([]) == 0\ncheck(total)\n",
    "entry_point": "total",
    "bug_type": "value misuse",
    "docstring": "Add up.",
}


def write(path, *rows):
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_row_becomes_a_case(tmp_path):
    """Workspace, hidden test, visible examples, reference and slices come from the row's own fields."""
    (case,) = load_humanevalpack(write(tmp_path / "x.jsonl", ROW))
    assert case.workspace["solution.py"].decode() == ROW["prompt"] + ROW["buggy_solution"]
    assert "-    return sum(xs) + 1\n+    return sum(xs)\n" in case.reference
    hidden = case.hidden["tests/test_solution.py"].decode()
    assert hidden.startswith("from solution import helper, total\n")
    calls = [node for node in ast.parse(hidden).body if isinstance(node, ast.Expr)]
    assert not calls, "the check must run inside a test, not at import"
    assert "test_examples" in case.workspace["tests/test_examples.py"].decode()
    assert case.slices["bug"] == "value misuse"
    assert EvalSuite("x", (case,)).version


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({**ROW, "test": "def check(:"}, "does not parse"),
        ({key: value for key, value in ROW.items() if key != "test"}, "x.jsonl:1: is not a HumanEvalFix row.*test"),
        ([], "is not a HumanEvalFix row"),
    ],
)
def test_bad_rows_are_one_clear_error(tmp_path, row, words):
    """A row that is not of the form is an error with its line."""
    with pytest.raises(SuiteError, match=words):
        load_humanevalpack(write(tmp_path / "x.jsonl", row))


def test_missing_file(tmp_path):
    """A file that is not there is an error, not a traceback."""
    with pytest.raises(SuiteError, match="No such file"):
        load_humanevalpack(tmp_path / "none.jsonl")
