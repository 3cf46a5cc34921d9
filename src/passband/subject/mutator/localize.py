"""Where in the code an issue may lie, from its words alone.

Fault localisation by information retrieval (Zhou, Zhang and Lo 2012, "BugLocator"): functions are documents, the issue
is the query, and terms are weighed by how few functions share them. A symptom is reported where it shows and sits
deeper, so what a suspect calls becomes suspect too. Nothing is run, and only what the subject may see is read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.subject.mutator.edits import Edit

__all__ = ["is_source", "suspicion"]

_Region = tuple[str, int, int]  # path, first and last byte of a function

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_HOPS = 2
_INHERITED = 0.8
_WORD = re.compile(r"[A-Za-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SUFFIXES = ("ing", "ed", "es", "s", "e")
_FLOOR = 0.05  # no place is beyond suspicion
_SHARPNESS = 2.0  # a place twice as similar is four times as suspect
_NAMED = 3.0  # the issue speaks of the function by its name


def is_source(path: str) -> bool:
    """Whether a file is code under repair: Python, and no test."""
    parts = path.split("/")
    return path.endswith(".py") and not any(part in {"tests", "test"} or part.startswith("test_") for part in parts)


def suspicion(issue: str, workspace: Mapping[str, bytes], edits: Sequence[Edit]) -> list[float]:
    """How much likelier each edit's place is than one the issue has nothing to do with.

    Parameters
    ----------
    issue : str
        The report.
    workspace : mapping
        Path → content.
    edits : sequence of Edit
        The places.

    Returns
    -------
    list of float
        One positive weight an edit.
    """
    regions = {(edit.path, *edit.region): edit.scope for edit in edits}
    documents = {
        region: Counter(_terms(workspace[region[0]][region[1] : region[2]].decode(errors="replace")))
        + Counter(term for name in scope for term in _terms(name))
        for region, scope in regions.items()
    }
    rarity = _rarity(list(documents.values()))
    query = Counter(_terms(issue))
    scores = {region: _cosine(query, document, rarity) for region, document in documents.items()}
    scores = _pass_on(scores, {region: _names(workspace, region) for region in regions}, regions)
    top = max(scores.values(), default=0.0) or 1.0
    named = set(_IDENTIFIER.findall(issue))
    weights = {
        region: (_FLOOR + score / top) ** _SHARPNESS * (_NAMED if set(regions[region]) & named else 1.0)
        for region, score in scores.items()
    }
    return [weights[edit.path, *edit.region] for edit in edits]


def _names(workspace: Mapping[str, bytes], region: _Region) -> frozenset[str]:
    path, start, end = region
    return frozenset(_IDENTIFIER.findall(workspace[path][start:end].decode(errors="replace")))


def _pass_on(
    scores: Mapping[_Region, float], names: Mapping[_Region, frozenset[str]], regions: Mapping[_Region, tuple[str, ...]]
) -> dict[_Region, float]:
    """Let functions inherit suspicion from those that name them, or their class where they make its objects."""
    passed = dict(scores)
    for _ in range(_HOPS):
        before = dict(passed)
        for region, scope in regions.items():
            called = {scope[-1] if scope[-1] != "__init__" else scope[0]} if scope else set()
            callers = [before[other] for other in regions if other != region and called & names[other]]
            passed[region] = max([before[region], scores[region] + _INHERITED * max(callers, default=0.0)])
    return passed


def _terms(text: str) -> list[str]:
    words = (part.lower() for word in _WORD.findall(text) for part in _CAMEL.split(word))
    return [_stem(word) for word in words if len(word) > 2]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word.removesuffix(suffix)
    return word


def _rarity(documents: list[Counter[str]]) -> dict[str, float]:
    present = Counter(term for document in documents for term in document)
    return {term: math.log(1 + len(documents) / n) for term, n in present.items()}


def _cosine(query: Counter[str], document: Counter[str], rarity: Mapping[str, float]) -> float:
    def weight(counts: Counter[str], term: str) -> float:
        return (1 + math.log(counts[term])) * rarity.get(term, 0.0)

    shared = math.fsum(weight(query, term) * weight(document, term) for term in sorted(query.keys() & document.keys()))
    length = math.sqrt(math.fsum(weight(document, term) ** 2 for term in sorted(document)))
    return shared / length if length else 0.0
