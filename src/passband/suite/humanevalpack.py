"""HumanEvalFix-style JSONL (one buggy function a line) → cases.

Octopack's HumanEvalPack, Muennighoff et al. (2023), https://arxiv.org/abs/2308.07124.
"""

from __future__ import annotations

import ast
import difflib
import json
from typing import TYPE_CHECKING

import msgspec

from passband.errors import SuiteError
from passband.records import EvalCase, ExecutionSpec, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["load_humanevalpack"]

_FILE = "solution.py"
_TEST = "tests/test_solution.py"
_TEST_ID = f"{_TEST}::test_behaviour"
# Three of the buggy functions never end; a right one needs milliseconds.
_LIMITS = Limits(wall_s=20, cpu_s=3, mem_mb=512)


class _Row(msgspec.Struct):
    """The fields that are read; others may be there."""

    task_id: str
    prompt: str
    declaration: str
    buggy_solution: str
    canonical_solution: str
    test: str
    entry_point: str
    bug_type: str
    docstring: str = ""
    example_test: str = ""
    failure_symptoms: str = ""


def load_humanevalpack(path: Path) -> tuple[EvalCase, ...]:
    """Read every row of `path` as a case.

    The workspace is ``solution.py`` (the prompt with the buggy body) and, where the row has examples, a visible test of
    them; the hidden test is the row's own ``check``. A row's canonical body becomes the reference patch.

    Raises
    ------
    SuiteError
        With the line at fault.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise SuiteError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise SuiteError(f"is not UTF-8 at byte {error.start}", where=str(path)) from None
    return tuple(_cases(lines, str(path)))


def _cases(lines: list[str], name: str) -> Iterator[EvalCase]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{name}:{number}"
            try:
                row = msgspec.convert(json.loads(line), _Row)
            except (msgspec.ValidationError, json.JSONDecodeError) as error:
                raise SuiteError(f"is not a HumanEvalFix row: {error}", where=where) from None
            try:
                yield _case(row)
            except SyntaxError as error:
                raise SuiteError(f"{row.task_id} holds code that does not parse: {error}", where=where) from None


def _case(row: _Row) -> EvalCase:
    buggy = row.prompt + row.buggy_solution
    fixed = row.prompt + row.canonical_solution
    diff = difflib.unified_diff(
        buggy.splitlines(keepends=True), fixed.splitlines(keepends=True), f"a/{_FILE}", f"b/{_FILE}"
    )
    workspace = {_FILE: buggy.encode()}
    if row.example_test.strip():
        workspace["tests/test_examples.py"] = _test_module(row.example_test, fixed, row, "test_examples").encode()
    return EvalCase(
        id=row.task_id,
        inputs={"issue": f"`{row.entry_point}` in {_FILE} misbehaves. What it should do:\n\n{row.docstring.strip()}\n"},
        reference="".join(diff),
        grader_spec=ExecutionSpec(fail_to_pass=(_TEST_ID,), allowed_files=(_FILE,), limits=_LIMITS),
        slices={"bug": row.bug_type, "symptom": row.failure_symptoms or "unknown"},
        workspace=workspace,
        hidden={_TEST: _test_module(row.test, fixed, row, "test_behaviour").encode()},
    )


def _test_module(source: str, solution: str, row: _Row, name: str) -> str:
    """Turn a ``check`` function, called at import, into a pytest module that imports what it uses."""
    tree = ast.parse(source)
    lines = source.split("\n")
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # the call at the end of the module
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    defined = {node.name for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = ", ".join(sorted(defined & used | {row.entry_point}))
    body = "\n".join(lines).strip("\n")
    return f"from solution import {imported}\n\n\n{body}\n\n\ndef {name}():\n    check({row.entry_point})\n"
