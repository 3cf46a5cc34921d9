"""Text as hashes: tokens, and n-grams of them."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Hasher", "identifiers", "normal", "telling_lines"]

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]", re.UNICODE)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_TELLING = 12  # characters of a line that says something


def normal(text: str) -> str:
    """Text without what a copy may change: case and white space."""
    return " ".join(text.lower().split())


def identifiers(text: str) -> set[str]:
    """Names of four characters and more."""
    return set(_IDENTIFIER.findall(text))


def telling_lines(text: str) -> list[str]:
    """Lines long enough that meeting one elsewhere is no accident, stripped."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if len(line) >= _TELLING and any(ch.isalpha() for ch in line)]


class Hasher:
    """Turns texts into 64-bit hashes of their n-grams; words are hashed once."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}

    def tokens(self, text: str) -> NDArray[np.uint64]:
        """Hashes of the words and marks of a text, in order."""
        words = self._words
        found = _TOKEN.findall(text.lower())
        if len(words) > 2_000_000:  # a corpus of noise must not fill the memory
            words.clear()
        for word in set(found).difference(words):
            words[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
        return np.fromiter(map(words.__getitem__, found), dtype=np.uint64, count=len(found))

    @staticmethod
    def ngrams(tokens: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
        """Hashes of all runs of `n` tokens; of all of them together where there are fewer."""
        size = len(tokens)
        if size == 0:
            return tokens
        n = min(n, size)
        out = np.zeros(size - n + 1, dtype=np.uint64)
        with np.errstate(over="ignore"):
            for offset in range(n):
                out = (out ^ (tokens[offset : size - n + 1 + offset])) * _FACTOR
                out ^= out >> np.uint64(29)
        return out
