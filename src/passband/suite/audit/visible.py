"""Channels inside the suite: what a subject can see in a case that it should not."""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from passband.suite.audit.documents import solution_text
from passband.suite.audit.result import Channel, Hit
from passband.suite.audit.text import telling_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passband.records import EvalCase
    from passband.suite.evalsuite import EvalSuite

__all__ = ["CACHES", "FINDERS", "TESTS", "fresh_lines", "hidden_lines", "hidden_values", "visible_channels"]

CACHES = re.compile(
    r"(^|/)(__pycache__|\.venv|venv|site-packages|node_modules|build|dist|\.tox|\.mypy_cache|[^/]+\.egg-info)/"
    r"|\.(pyc|whl|egg|orig|rej|bak|swp)$|~$"
)
TESTS = re.compile(r"(^|/)(tests?|hidden)(/|$)|(^|/)test_[^/]*$")
_LEAST_VALUE = 6  # characters of a literal that is met by no accident
_MOST_OBJECTS = 64 * 2**20


def visible_channels(suite: EvalSuite) -> tuple[list[Channel], list[str]]:
    """Look into what every case shows.

    Returns
    -------
    tuple of (list of Channel, list of str)
        The channels, and what could not be looked at.
    """
    not_looked: list[str] = []
    strip = "passband suite audit … --subject SPEC: these cases as they are, and with it removed, paired"

    def channel(name: str, carries: str, looked: str, find: Callable[[EvalCase], Iterator[Hit]]) -> Channel:
        hits = []
        for case in suite:
            best = max(find(case), key=lambda hit: hit.strength, default=None)
            if best is not None:
                hits.append(best)
        hits.sort(key=lambda hit: (-hit.strength, hit.case))
        return Channel(name, carries, looked, tuple(hits), strip)  # type: ignore[arg-type]

    return [
        channel(
            "fix-in-issue", "answers", "lines of the reference that the inputs quote and the workspace does not hold",
            _fix_in_issue,
        ),
        channel(
            "hidden-tests-visible", "answers", "lines of hidden tests in the inputs, or in the workspace's own files",
            _hidden_tests,
        ),
        channel(
            "expected-values-visible", "answers",
            f"literals of {_LEAST_VALUE} characters and more that hidden asserts compare with, met outside tests",
            _expected_values,
        ),
        channel(
            "reference-in-history", "answers", "every object of a .git folder in the workspace",
            lambda case: _history(case, not_looked),
        ),
        channel(
            "reference-in-caches", "answers", "compiled files, packages, build folders and editors' copies", _caches
        ),
    ], not_looked  # fmt: skip


def _inputs(case: EvalCase) -> str:
    return " ".join(" ".join(str(value).split()) for value in case.inputs.values())


def _workspace(case: EvalCase, *, caches: bool = False) -> Iterator[tuple[str, str]]:
    for name, data in sorted(case.workspace.items()):
        if not name.startswith(".git/") and bool(CACHES.search(name)) == caches:
            yield name, " ".join(data.decode(errors="replace").split())


def fresh_lines(case: EvalCase) -> list[str]:
    """Lines of the reference that the task as it stands does not hold."""
    there = "\n".join(text for _, text in _workspace(case))
    return [line for line in telling_lines(solution_text(case)) if line not in there]


def _share(case: EvalCase, source: str, wanted: list[str], text: str) -> Iterator[Hit]:
    found = [line for line in wanted if line in text]
    if found:
        yield Hit(case.id, source, round(len(found) / len(wanted), 4), found[0][:80])


def _fix_in_issue(case: EvalCase) -> Iterator[Hit]:
    yield from _share(case, "inputs", fresh_lines(case), _inputs(case))


def hidden_lines(case: EvalCase) -> list[str]:
    """Lines of the hidden tests that say what must come out."""
    return [
        line
        for name, data in sorted(case.hidden.items())
        if name.endswith(".py")
        for line in telling_lines(data.decode(errors="replace"))
        if line.startswith("assert") or "raises(" in line
    ]


def hidden_values(case: EvalCase) -> list[str]:
    """Literals that hidden asserts compare with and the task does not name: a value that it names is part of it."""
    values = sorted({value for data in case.hidden.values() for value in _compared(data)})
    return [value for value in values if value not in _inputs(case)]


def _hidden_tests(case: EvalCase) -> Iterator[Hit]:
    wanted = hidden_lines(case)
    if wanted:
        yield from _share(case, "inputs", wanted, _inputs(case))
        for name, text in _workspace(case):
            yield from _share(case, name, wanted, text)


def _expected_values(case: EvalCase) -> Iterator[Hit]:
    wanted = hidden_values(case)
    for name, text in _workspace(case) if wanted else ():
        if not TESTS.search(name):
            yield from _share(case, name, wanted, text)


def _compared(data: bytes) -> Iterator[str]:
    """Literals on the right of == in asserts."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            for operator, right in zip(node.test.ops, node.test.comparators, strict=True):
                if isinstance(operator, ast.Eq) and isinstance(right, ast.Constant):
                    text = str(right.value)
                    if len(text) >= _LEAST_VALUE and not isinstance(right.value, bool):
                        yield " ".join(text.split())


def _caches(case: EvalCase) -> Iterator[Hit]:
    wanted = fresh_lines(case)
    for name, text in _workspace(case, caches=True):
        yield from _share(case, name, wanted, text)


def _history(case: EvalCase, not_looked: list[str] | None = None) -> Iterator[Hit]:
    git = {name: data for name, data in case.workspace.items() if name.startswith(".git/")}
    if not git:
        return
    wanted = fresh_lines(case)
    try:
        text, complaint = _all_objects(git)
    except (OSError, subprocess.SubprocessError) as error:
        text, complaint = "", type(error).__name__
    if complaint and not_looked is not None:
        not_looked.append(f"{case.id}: part of its .git can't be read: {complaint}")
    yield from _share(case, ".git", wanted, " ".join(text.split()))


def _all_objects(git: dict[str, bytes]) -> tuple[str, str]:
    """Contents of every object, reachable or not, and what could not be read of them.

    Nothing of the repository's own configuration is used.
    """
    packs = {name for name in git if name.endswith(".pack")}
    blind = [name for name in packs if f"{name.removesuffix('.pack')}.idx" not in git]
    with tempfile.TemporaryDirectory(prefix="passband-audit-") as folder:
        for name, data in git.items():
            inside = name.removeprefix(".git/")
            if inside.startswith("objects/") and ".." not in inside.split("/"):
                target = Path(folder, inside)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        Path(folder, "refs").mkdir(exist_ok=True)
        Path(folder, "objects").mkdir(exist_ok=True)
        Path(folder, "objects/info/alternates").unlink(missing_ok=True)
        Path(folder, "HEAD").write_text("ref: refs/heads/none\n")
        Path(folder, "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        command = ["git", "--git-dir", folder, "cat-file", "--batch-all-objects", "--batch", "--unordered"]
        environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(command, capture_output=True, check=True, timeout=60, env=environment)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    complaint = said[0] if said else f"{len(blind)} packs without an index" if blind else ""
    return done.stdout[:_MOST_OBJECTS].decode(errors="replace"), complaint


FINDERS: dict[str, Callable[[EvalCase], Iterator[Hit]]] = {
    "fix-in-issue": _fix_in_issue,
    "hidden-tests-visible": _hidden_tests,
    "expected-values-visible": _expected_values,
    "reference-in-history": _history,
    "reference-in-caches": _caches,
}
"""Channel → what finds it in one case."""
