"""Channels from training data: duplicates, near duplicates, solutions, hidden tests, names, vocabulary."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import UsageError
from passband.suite.audit.documents import case_text, hidden_text, solution_text
from passband.suite.audit.grams import GRAM, KeptBack
from passband.suite.audit.result import Channel, Hit
from passband.suite.audit.text import Hasher, identifiers, normal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from passband.suite.audit.documents import Document
    from passband.suite.evalsuite import EvalSuite

__all__ = ["NEAR", "overlap_channels"]

NEAR = 0.7
"""Jaccard similarity of five-word shingles from which a document counts as a near duplicate."""

_SHINGLE = 5
_PERMUTATIONS, _BANDS = 128, 32  # finds a pair at similarity 0.7 with probability 0.9998; what it finds is verified
_BATCH = 2000
_COMMON = 0.02  # a name in more than this share of the cases belongs to the language, not to a case


def overlap_channels(suite: EvalSuite, train: Iterable[Document]) -> tuple[list[Channel], int]:
    """Look for a suite's cases in training documents, which are read once and never held together.

    Parameters
    ----------
    suite : EvalSuite
        The cases of the evaluation.
    train : iterable of Document
        The training data.

    Returns
    -------
    tuple of (list of Channel, int)
        The channels, and how many documents there were.

    Raises
    ------
    UsageError
        Where the extra ``audit`` is not installed.
    """
    look = _Look(suite)
    number = 0
    batch: list[Document] = []
    for document in train:
        batch.append(document)
        number += 1
        if len(batch) == _BATCH:
            look.take(batch)
            batch = []
    look.take(batch)
    return look.channels(), number


class _Look:
    """The suite, indexed, and what has been found in the documents so far."""

    def __init__(self, suite: EvalSuite) -> None:
        try:
            from rensa import RMinHash, RMinHashLSH  # type: ignore[import-untyped]  # it ships no types
        except ImportError:
            fix = "pip install 'passband[audit]'"
            raise UsageError("near duplicates need the extra audit", fix=fix) from None
        self._minhash = RMinHash
        self._ids = [case.id for case in suite]
        self._hasher = Hasher()
        texts = [case_text(case) for case in suite]
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._shingles: list[NDArray[np.uint64]] = []
        self._index = RMinHashLSH(NEAR, _PERMUTATIONS, _BANDS)
        for place, text in enumerate(texts):
            self._exact[normal(text)].append(place)
            shingles = np.unique(self._hasher.ngrams(self._hasher.tokens(text), _SHINGLE))
            self._shingles.append(shingles)
            self._index.insert(place, self._signature(shingles))
        self._kept_back = {
            name: KeptBack(self._hasher, ((kept(case), text) for case, text in zip(suite, texts, strict=True)))
            for name, kept in (("solution", solution_text), ("hidden", hidden_text))
        }
        self._names = self._own_names(texts)
        self._vocabulary = set(self._names)
        self._hits: dict[str, dict[int, Hit]] = {name: {} for name in ("exact", "near", "solution", "hidden")}
        self._seen_names: dict[str, str] = {}

    def _signature(self, shingles: NDArray[np.uint64]) -> object:
        made = self._minhash(_PERMUTATIONS, 1)
        digits = shingles.tobytes().hex()
        made.update([digits[place : place + 16] for place in range(0, len(digits), 16)])
        return made

    def _own_names(self, texts: list[str]) -> dict[str, list[int]]:
        """Identifiers that belong to a case: those that few other cases hold."""
        holders: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for name in identifiers(text):
                holders[name].append(place)
        most = max(1, int(_COMMON * len(texts)))
        return {name: places for name, places in holders.items() if len(places) <= most}

    def take(self, batch: list[Document]) -> None:
        """Look through some documents."""
        for document in batch:
            for place in self._exact.get(normal(document.task or document.text), ()):
                self._keep("exact", place, document, 1.0, document.text)
            tokens = self._hasher.tokens(document.text)
            if len(tokens):
                shingles = np.unique(self._hasher.ngrams(tokens, _SHINGLE))
                for place in self._index.query(self._signature(shingles)):
                    own = self._shingles[place]
                    shared = len(np.intersect1d(own, shingles, assume_unique=True))
                    similarity = shared / (len(own) + len(shingles) - shared)
                    if similarity >= NEAR:
                        self._keep("near", place, document, similarity, document.text)
            self._take_kept_back(document, tokens)
            met = identifiers(document.text) & self._vocabulary
            if met:  # the first document that holds a name is enough: later ones need not be asked
                self._vocabulary -= met
                self._seen_names |= dict.fromkeys(met, document.id)

    def _take_kept_back(self, document: Document, tokens: NDArray[np.uint64]) -> None:
        if len(tokens) < GRAM:
            return
        grams = np.unique(self._hasher.ngrams(tokens, GRAM))
        for channel, index in self._kept_back.items():
            for case, number, total in index.met_in(grams):
                self._keep(channel, case, document, number / total, f"{number} of {total} n-grams")

    def _keep(self, channel: str, place: int, document: Document, strength: float, evidence: str) -> None:
        old = self._hits[channel].get(place)
        if old is None or strength > old.strength:
            short = " ".join(evidence.split())[:80]
            self._hits[channel][place] = Hit(self._ids[place], document.id, round(strength, 4), short)

    def channels(self) -> list[Channel]:
        """What was found."""
        exact = self._ordered("exact")
        near = tuple(hit for hit in self._ordered("near") if hit.case not in {found.case for found in exact})
        leaked = {hit.case for hit in (*exact, *near, *self._ordered("solution"), *self._ordered("hidden"))}
        per_case: dict[int, list[str]] = defaultdict(list)
        for name in sorted(self._seen_names):
            for place in self._names[name]:
                per_case[place].append(name)
        totals = Counter(place for places in self._names.values() for place in places)
        names = [
            Hit(
                self._ids[place], self._seen_names[found[0]], round(len(found) / totals[place], 4), ", ".join(found[:4])
            )
            for place, found in per_case.items()
        ]
        names.sort(key=lambda hit: (-hit.strength, hit.case))
        measure = "passband suite audit … --measure RUN --baseline RUN: does the gain sit on the leaked cases?"
        return [
            Channel(
                "exact-duplicate", "tasks", "inputs and workspace, case and white space aside, against documents",
                exact, measure,
            ),
            Channel(
                "near-duplicate", "tasks",
                f"MinHash of {_SHINGLE}-word shingles, {_BANDS} bands; pairs verified, Jaccard {NEAR} or more",
                near, measure,
            ),
            Channel(
                "solution-ngrams", "answers",
                f"{GRAM}-token n-grams of references, not shown by the task; half of them in one document",
                self._ordered("solution"), measure,
            ),
            Channel(
                "hidden-test-ngrams", "answers", "the same of the hidden tests' files",
                self._ordered("hidden"), measure,
            ),
            Channel(
                "names", "names", "identifiers of few cases that some document holds",
                tuple(hit for hit in names if hit.case in leaked),
                "evaluate with the names of these cases replaced by fresh ones, paired by case",
            ),
            Channel(
                "vocabulary", "names", "the same, of cases that no other channel reaches",
                tuple(hit for hit in names if hit.case not in leaked),
                "inert unless a name carries the answer: evaluate with fresh names, paired by case",
            ),
        ]  # fmt: skip

    def _ordered(self, channel: str) -> tuple[Hit, ...]:
        return tuple(sorted(self._hits[channel].values(), key=lambda hit: (-hit.strength, hit.case)))
