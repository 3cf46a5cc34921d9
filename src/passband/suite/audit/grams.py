"""What cases keep from a subject, as hashed n-grams, to be met again in training text."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from passband.suite.audit.text import Hasher

__all__ = ["GRAM", "SHARE", "KeptBack"]

GRAM = 8
"""Tokens of an n-gram."""
SHARE = 0.5
"""What one document must hold of a case's n-grams to count."""


class KeptBack:
    """The n-grams of texts that no subject is shown, those that its task shows taken away.

    Parameters
    ----------
    hasher : Hasher
        The one that also hashes the documents.
    texts : iterable of (str, str)
        Of each case the text that is kept back, and the text that is shown.
    """

    def __init__(self, hasher: Hasher, texts: Iterable[tuple[str, str]]) -> None:
        of: dict[int, list[int]] = defaultdict(list)
        self._total = []
        for place, (kept, shown) in enumerate(texts):
            tokens = hasher.tokens(kept)
            own = hasher.ngrams(tokens, GRAM) if len(tokens) >= GRAM else tokens[:0]
            fresh = np.setdiff1d(own, hasher.ngrams(hasher.tokens(shown), GRAM))
            self._total.append(len(fresh))
            for value in fresh.tolist():
                of[value].append(place)
        self._grams: NDArray[np.uint64] = np.array(sorted(of), dtype=np.uint64)
        self._cases = [of[value] for value in self._grams.tolist()]

    def met_in(self, grams: NDArray[np.uint64]) -> Iterator[tuple[int, int, int]]:
        """Yield case, n-grams of it that are there, and all it has, for each case of which a document holds enough.

        Parameters
        ----------
        grams : ndarray of uint64
            The n-grams of one document, each once.
        """
        if not len(self._grams):
            return
        places = np.searchsorted(self._grams, grams)
        places[places == len(self._grams)] = 0
        matched = places[self._grams[places] == grams]
        for case, number in Counter(case for place in matched.tolist() for case in self._cases[place]).items():
            if number >= SHARE * self._total[case]:
                yield case, number, self._total[case]
