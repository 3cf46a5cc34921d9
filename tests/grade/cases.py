"""Cases for tests of the grader: small trees, hidden tests, a reference."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from passband.records import Answer, AnswerFormat, EvalCase, ExecutionSpec, Limits

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = Limits(wall_s=20, cpu_s=5, mem_mb=512, file_mb=16, pids=64)


def tree_of(folder: Path) -> dict[str, bytes]:
    """Read a folder."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def source(text: str) -> bytes:
    """Unindent code."""
    return textwrap.dedent(text).lstrip("\n").encode()


def whole_files(files: dict[str, str | bytes | None]) -> Answer:
    """Make an answer that replaces whole files."""
    plain = {k: v.decode() if isinstance(v, bytes) else v for k, v in files.items()}
    return Answer(json.dumps(plain).encode(), AnswerFormat.FILES)


def make_case(
    repo: dict[str, str],
    tests: str,
    fixed: dict[str, str] | None,
    *,
    fail: tuple[str, ...],
    ok: tuple[str, ...] = (),
    hidden: dict[str, str] | None = None,
    **spec: Any,
) -> EvalCase:
    """Make a case whose hidden tests are one file; `fixed` are the reference's files."""
    name = "tests/test_it.py"
    spec.setdefault("limits", LIMITS)
    return EvalCase(
        id="case",
        inputs={},
        grader_spec=ExecutionSpec(
            fail_to_pass=tuple(f"{name}::{t}" for t in fail), pass_to_pass=tuple(f"{name}::{t}" for t in ok), **spec
        ),
        reference=None if fixed is None else json.dumps({k: source(v).decode() for k, v in fixed.items()}),
        workspace={k: source(v) for k, v in repo.items()},
        hidden={name: source(tests), **{k: source(v) for k, v in (hidden or {}).items()}},
    )
