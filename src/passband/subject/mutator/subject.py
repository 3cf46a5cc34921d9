"""The two mutators as subjects."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import passband
from passband.grade.patch import answer_from_trees
from passband.records import Answer
from passband.subject.base import CaseView, Response
from passband.subject.mutator.edits import Edit, collect_edits
from passband.subject.mutator.localize import is_source, suspicion

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
    "sign": 1.5,
    "nudge": 1.5,
}
# Words of an issue that make an operator likelier.
_HINTS: Sequence[tuple[re.Pattern[str], tuple[str, ...]]] = (
    (
        re.compile(r"exact|boundar|limit|last|first|off by|one (too|more|less)|inclusive|at least|at most|edge"),
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
_HINTED = 3.0


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
        files = tuple(sorted((path, data) for path, data in view.workspace.items() if is_source(path)))
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
        # An operator first, then one of its places: one with a hundred places does not drown one with two.
        places = Counter(edit.operator for edit in edits)
        if not self._focus:
            return [1.0 / places[edit.operator] for edit in edits]
        issue = str(view.inputs.get("issue", ""))
        likely = {operator for pattern, operators in _HINTS if pattern.search(issue.lower()) for operator in operators}
        suspects = suspicion(issue, view.workspace, edits)
        return [
            _PRIOR.get(edit.operator, 1.0)
            * (_HINTED if edit.operator in likely else 1.0)
            / places[edit.operator]
            * suspect
            for edit, suspect in zip(edits, suspects, strict=True)
        ]


def _pick(edits: Sequence[Edit], weights: Sequence[float], u: float) -> Edit:
    left = u * math.fsum(weights)
    for edit, weight in zip(edits, weights, strict=True):
        left -= weight
        if left < 0:
            return edit
    return edits[-1]
