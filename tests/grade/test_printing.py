"""Honest code that prints much, or treats its output as more than a place for text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import Grading, split
from passband.records import EvalCase, Verdict
from tests.grade.cases import make_case, source, whole_files

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = """
    from loud import f

    def test_one():
        assert f(1) == 2

    def test_two():
        assert f(2) == 3
"""
ANSWER = """
    {first}

    def f(x):
        {body}
        return x + 1
"""
MUCH = 100_000
LOUD = {
    "stdout": ("", f"print('y' * {MUCH})"),
    "stderr": ("import sys", f"print('y' * {MUCH}, file=sys.stderr)"),
    "lines": ("", f"for n in range({MUCH} // 10): print(n)"),
    "warnings": ("import warnings", f"warnings.warn('y' * {MUCH} + str(x))"),
    "logging": ("import logging", f"logging.warning('y' * {MUCH})"),
    "descriptors": ("import os", f"os.write(1, b'y' * {MUCH}); os.write(2, b'y' * {MUCH})"),
    "import": (f"print('y' * {MUCH})", "pass"),
}
UNUSUAL = {
    "buffer": ("import sys", "sys.stdout.buffer.write(b'x'); sys.stderr.buffer.write(bytearray(b'\\xff'))"),
    "flushed buffer": ("import sys", "sys.stdout.buffer.write(memoryview(b'x')); sys.stdout.buffer.flush()"),
    "encoding": ("import sys", "assert sys.stdout.encoding.lower() == sys.stderr.encoding.lower() == 'utf-8'"),
    "reconfigured": ("import sys\n    sys.stdout.reconfigure(encoding='utf-8')", "print('é')"),
    "reconfigured later": ("import sys", "print('é'); sys.stdout.reconfigure(encoding='utf-8', line_buffering=True)"),
    "number": ("import sys", "assert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)"),
    "terminal": (
        "import sys",
        "assert not sys.stdout.isatty(); assert (sys.stdout.name, sys.stderr.name) == ('<stdout>', '<stderr>')",
    ),
    "wrapped anew": (
        "import io, sys\n    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "print('é')",
    ),
    "detached": ("import io, sys\n    sys.stdout = io.TextIOWrapper(sys.stdout.detach())", "print('x')"),
    "surrogate": ("", "print('\\ud800')"),
}


def answer(first: str, body: str, n: int = 0) -> dict[str, str]:
    """Make an answer's files, another one for each `n`."""
    return {"loud.py": source(ANSWER.format(first=first, body=body)).decode() + f"# {n}\n"}


def case_of(tests: str, tier: str, fail: tuple[str, ...]) -> EvalCase:
    """Make the case."""
    return make_case({"loud.py": "def f(x): return x\n"}, tests, None, fail=fail, tier=tier)


def resolved(grading: Grading, case: EvalCase, files: dict[str, str]) -> None:
    """Grade an answer that is right."""
    verdict = grading.grade(case, whole_files(files))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.passed, verdict.detail


@pytest.fixture
def judging(monkeypatch) -> Iterator[dict[str, int]]:
    """Count the judges that last, and the runs for which one had to be forked."""
    counts = {"workers": 0, "forks": 0}
    worker, by_fork = split.Worker, split.SplitRunner._by_fork

    def make(*args):
        counts["workers"] += 1
        return worker(*args)

    def fork(*args):
        counts["forks"] += 1
        return by_fork(*args)

    monkeypatch.setattr(split, "Worker", make)
    monkeypatch.setattr(split.SplitRunner, "_by_fork", fork)
    return counts


@pytest.mark.parametrize("kind", LOUD)
def test_a_lasting_judge_outlasts_what_answers_print(kind, grading, judging) -> None:
    """One judge takes answer after answer that prints 100,000 characters in each call: none stops it."""
    case = case_of(PLAIN, "split", ("test_one", "test_two"))
    for n in range(4):
        resolved(grading, case, answer(*LOUD[kind], n))
    assert judging == {"workers": 1, "forks": 0}


@pytest.mark.parametrize("where", ["in tests", "at import"])
def test_a_lasting_judge_outlasts_what_tests_print(where, grading, judging) -> None:
    """The tests' own output, in each run and while they are collected, does not stop it either."""
    printing = f"print('t' * {MUCH})"
    tests = f"{PLAIN}    {printing}\n" if where == "at import" else PLAIN.replace("assert", f"{printing}; assert")
    case = case_of(tests, "split", ("test_one", "test_two"))
    for n in range(4):
        resolved(grading, case, answer("", "pass", n))
    assert judging == {"workers": 1, "forks": 0}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("kind", UNUSUAL)
def test_output_is_more_than_a_place_for_text(kind, tier, grading) -> None:
    """What code may do with a standard stream elsewhere, it may do here."""
    resolved(grading, case_of(PLAIN, tier, ("test_one", "test_two")), answer(*UNUSUAL[kind]))


CAPTURED = {
    "bytes": ("import sys", "sys.stdout.buffer.write('é\\n'.encode()); sys.stderr.buffer.write(b'e\\n')"),
    "text": ("import sys", "print('é'); sys.stderr.write('e\\n')"),
    "wrapped anew": (
        "import io, sys\n    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "print('é'); print('e', file=sys.stderr)",
    ),
    "detached": (
        "import io, sys\n    sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')",
        "print('é'); print('e', file=sys.stderr)",
    ),
    "closed": ("import sys", "print('é'); print('e', file=sys.stderr); sys.stdout.close()"),
    "logged": ("import logging", "print('é'); logging.lastResort.stream.write('e\\n')"),
}


@pytest.mark.parametrize("kind", CAPTURED)
@pytest.mark.parametrize("capture", ["capsys", "redirect"])
def test_tests_see_what_was_printed(kind, capture, grading) -> None:
    """A test that captures output gets all of it, in order, however it was written."""
    tests = {
        "capsys": """
            from loud import f

            def test_seen(capsys):
                for x in (1, 2):
                    assert f(x) == x + 1
                    assert capsys.readouterr() == ("é\\n", "e\\n")
            """,
        "redirect": """
            import contextlib, io
            from loud import f

            def test_seen():
                for x in (1, 2):
                    out, err = io.StringIO(), io.StringIO()
                    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                        assert f(x) == x + 1
                    assert (out.getvalue(), err.getvalue()) == ("é\\n", "e\\n")
            """,
    }[capture]
    resolved(grading, case_of(tests, "split", ("test_seen",)), answer(*CAPTURED[kind]))
