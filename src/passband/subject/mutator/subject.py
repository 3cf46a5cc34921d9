"""The two mutators as subjects."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING, Any

import passband
from passband.grade.patch import answer_from_trees
from passband.records import Answer
from passband.subject.base import CaseView, Response
from passband.subject.mutator.edits import Edit, collect_edits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MUTATORS", "Mutator"]

MUTATORS: Mapping[str, bool] = {"mutator": False, "mutator-focus": True}
"""Name → whether edits are ranked by the issue and the visible tests."""

# How much likelier each operator is to be the repair than an average one: what bug studies agree on (Pan et al. 2009:
# conditions and call arguments lead), in coarse steps; not fitted to any suite.
_PRIOR = {
    "comparison": 4.0,
    "off-by-one": 3.0,
    "arithmetic": 3.0,
    "boolean": 3.0,
    "negation": 2.0,
    "argument-order": 2.0,
    "mutable-default": 8.0,
    "ordering": 2.0,
    "twin-function": 2.0,
    "slice": 1.5,
    "variable": 0.5,
    "return-value": 0.5,
    "guard": 0.3,
    "unwrap": 0.5,
    "drop-statement": 0.5,
}
# Words of an issue that make an operator likelier.
_HINTS: Sequence[tuple[re.Pattern[str], tuple[str, ...]]] = (
    (
        re.compile(r"exact|boundar|limit|last|first|off by|inclusive|at least|at most|edge"),
        ("comparison", "off-by-one"),
    ),
    (
        re.compile(r"original|shared|leak|mutat|modif|alias|copy|remember|previous|second call"),
        ("copy", "mutable-default"),
    ),
    (re.compile(r"order|sort|reverse|rank|newest|oldest|largest|smallest"), ("ordering", "argument-order")),
    (re.compile(r"empty|none|zero|missing|divi|blank"), ("guard", "boolean", "comparison")),
    (re.compile(r"skip|every other|while iterat|miss"), ("copy", "off-by-one", "control", "dedent")),
    (re.compile(r"total|sum|amount|average|round|price"), ("arithmetic", "twin-function", "off-by-one")),
    (re.compile(r"default|again|accumulat|keeps? growing"), ("mutable-default", "copy", "assignment")),
    (re.compile(r"case|space|trim|prefix|suffix|parse|quote"), ("twin-function", "slice", "unwrap")),
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Mutator:
    """One seeded plausible edit per sample.

    Parameters
    ----------
    name : str
        ``mutator`` or ``mutator-focus``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._focus = MUTATORS[name]

    @property
    def params(self) -> Mapping[str, Any]:
        """The package's version: the grammar moves with it."""
        return {"version": passband.__version__}

    def sample(self, view: CaseView, seed: int) -> Response:
        """Propose one edit as a unified diff; an answer of no bytes where there is nothing to edit."""
        files = tuple(sorted((path, data) for path, data in view.workspace.items() if _is_source(path)))
        edits = collect_edits(files)
        if not edits:
            return Response(output=Answer(b""), trace=({"event": "no edit", "files": len(files)},))
        weights = self._weights(edits, view)
        # A draw is spelled out rather than left to `random.choices`, whose stream may change between Python versions.
        edit = _pick(edits, weights, random.Random(seed).random())  # noqa: S311 - a simulation, not a secret
        before = dict(files)[edit.path]
        event = {
            "event": "edit",
            "operator": edit.operator,
            "file": edit.path,
            "scope": ".".join(edit.scope),
            "candidates": len(edits),
        }
        return Response(output=answer_from_trees({edit.path: before}, {edit.path: edit.apply(before)}), trace=(event,))

    def _weights(self, edits: Sequence[Edit], view: CaseView) -> list[float]:
        counts: dict[str, int] = {}
        for edit in edits:
            counts[edit.operator] = counts.get(edit.operator, 0) + 1
        # The root keeps an operator with a hundred places from drowning one with two.
        weights = [_PRIOR.get(edit.operator, 1.0) / math.sqrt(counts[edit.operator]) for edit in edits]
        if not self._focus:
            return weights
        issue = str(view.inputs.get("issue", ""))
        tests = b" ".join(data for path, data in sorted(view.workspace.items()) if not _is_source(path))
        named = {word for word in _WORD.findall(issue) if len(word) > 2}
        tested = set(_WORD.findall(tests.decode(errors="replace")))
        likely = {operator for pattern, operators in _HINTS if pattern.search(issue.lower()) for operator in operators}
        return [
            weight * _relevance(edit, named, tested) * (3.0 if edit.operator in likely else 1.0)
            for edit, weight in zip(edits, weights, strict=True)
        ]


def _relevance(edit: Edit, named: set[str], tested: set[str]) -> float:
    """How much the place has to do with what the issue and the visible tests speak of."""
    lowered = {word.lower() for word in named}
    relevance = 1.0
    if any(name in named for name in edit.scope):
        relevance *= 6.0
    elif any(part in lowered for name in edit.scope for part in name.lower().split("_") if len(part) > 3):
        relevance *= 2.5
    if edit.words & named:
        relevance *= 1.5
    if any(name in tested for name in edit.scope):
        relevance *= 1.5
    return relevance


def _pick(edits: Sequence[Edit], weights: Sequence[float], u: float) -> Edit:
    left = u * math.fsum(weights)
    for edit, weight in zip(edits, weights, strict=True):
        left -= weight
        if left < 0:
            return edit
    return edits[-1]


def _is_source(path: str) -> bool:
    parts = path.split("/")
    return path.endswith(".py") and not any(part in {"tests", "test"} or part.startswith("test_") for part in parts)
