"""Copies of cases without what they give away, so that what it does to a number can be measured."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from passband.suite.audit.visible import CACHES, FINDERS, TESTS, fresh_lines, hidden_lines, hidden_values
from passband.suite.evalsuite import EvalSuite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import EvalCase
    from passband.suite.audit.result import Audit

__all__ = ["Scrubbed", "scrub_suite"]

_REMOVED = "[removed]"


@dataclass(frozen=True)
class Scrubbed:
    """The cases that give something away, twice.

    Attributes
    ----------
    leaking, clean : EvalSuite
        The same cases as they are, and without it; None where there is nothing that could be removed.
    channels : mapping of str to tuple of str
        Channel → cases of both from which it is gone.
    left : tuple of str
        What could not be removed, and why.
    """

    leaking: EvalSuite | None
    clean: EvalSuite | None
    channels: Mapping[str, tuple[str, ...]]
    left: tuple[str, ...]


def scrub_suite(suite: EvalSuite, audit: Audit) -> Scrubbed:
    """Remove from copies of a suite's cases what the audit found each of them to give away.

    Lines of the reference and of hidden tests go from the inputs and from text files, git objects and caches go whole.
    A line of a Python file is replaced by a statement that does nothing, where the file stays Python. Every copy is
    looked at again by what found the leak.

    Parameters
    ----------
    suite : EvalSuite
        The audited suite.
    audit : Audit
        What was found in it. Channels from training data are no part of a case: nothing can be removed.
    """
    found = {channel.name: channel.cases for channel in audit.channels if channel.name in FINDERS and channel.hits}
    gone: dict[str, list[str]] = {name: [] for name in found}
    left = []
    pairs = []
    for case in suite:
        mine = [name for name, cases in found.items() if case.id in cases]
        if not mine:
            continue
        clean = _scrub(case, mine)
        removed = [name for name in mine if next(FINDERS[name](clean), None) is None]
        left += [
            f"{case.id}: {name} can't be removed without changing what runs" for name in mine if name not in removed
        ]
        for name in removed:
            gone[name].append(case.id)
        if removed:
            pairs.append((case, clean))
    return Scrubbed(
        leaking=EvalSuite(suite.name, tuple(case for case, _ in pairs)) if pairs else None,
        clean=EvalSuite(f"{suite.name}-scrubbed", tuple(clean for _, clean in pairs)) if pairs else None,
        channels={name: tuple(cases) for name, cases in gone.items() if cases},
        left=tuple(left),
    )


def _scrub(case: EvalCase, channels: Sequence[str]) -> EvalCase:
    answers = fresh_lines(case) if "fix-in-issue" in channels else []
    tests = hidden_lines(case) if "hidden-tests-visible" in channels else []
    values = hidden_values(case) if "expected-values-visible" in channels else []
    cached = fresh_lines(case) if "reference-in-caches" in channels else []
    files = {}
    for name, data in case.workspace.items():
        if name.startswith(".git/"):
            if "reference-in-history" not in channels:
                files[name] = data
        elif CACHES.search(name):
            text = " ".join(data.decode(errors="replace").split())
            if not any(line in text for line in cached):
                files[name] = data
        else:
            files[name] = _file(name, data, [*tests, *([] if TESTS.search(name) else values)])
    inputs = _strings(case.inputs, _pattern([*answers, *tests]))
    return msgspec.structs.replace(case, inputs=inputs, workspace=files)


def _file(name: str, data: bytes, wanted: list[str]) -> bytes:
    """Take the wanted texts out of a file, or leave it as it is where that can't be done."""
    pattern = _pattern(wanted)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if pattern is None or not pattern.search(text):
        return data
    if not name.endswith(".py"):
        return pattern.sub(_REMOVED, text).encode()
    kept = "".join(_statement(line, set(wanted)) for line in text.splitlines(keepends=True))
    try:
        ast.parse(kept)
    except (SyntaxError, ValueError):
        return data
    return kept.encode()


def _statement(line: str, wanted: set[str]) -> str:
    bare = " ".join(line.split())
    if bare not in wanted:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}{'if True:' if bare.endswith(':') else 'pass'}\n"


def _pattern(wanted: list[str]) -> re.Pattern[str] | None:
    """Match any of the texts, whatever the white space between their words."""
    texts = sorted(set(wanted), key=lambda text: (-len(text), text))
    return re.compile("|".join(r"\s+".join(map(re.escape, text.split())) for text in texts)) if texts else None


def _strings(value: Any, pattern: re.Pattern[str] | None) -> Any:
    if pattern is None:
        return value
    if isinstance(value, str):
        return pattern.sub(_REMOVED, value)
    if isinstance(value, list | tuple):
        return [_strings(item, pattern) for item in value]
    if hasattr(value, "items"):
        return {key: _strings(item, pattern) for key, item in value.items()}
    return value
