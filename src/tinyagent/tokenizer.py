"""Words to numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tinyagent.gym import OPERATORS, function_names, source_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tinyagent.gym import Task

__all__ = ["Tokenizer", "build_tokenizer"]

_UNKNOWN = "<unknown>"
_PROTOCOL = (
    *("read", "edit", "test", "submit", *OPERATORS),
    *words("fix\n"),
    *words("passed 0 of 2\n"),
    *("1", "edited", "refused", "error"),
)


class Tokenizer:
    """A vocabulary of whole words.

    Parameters
    ----------
    vocabulary : iterable of str
        Distinct words; the position of each is its number.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._number = {word: number for number, word in enumerate(self.vocabulary)}
        self._encoded: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str) -> tuple[int, ...]:
        """Numbers of a text's words; a word outside the vocabulary becomes ``<unknown>``."""
        found = self._encoded.get(text)
        if found is None:
            found = self._encoded[text] = tuple(self._number.get(word, 0) for word in words(text))
        return found

    def decode(self, numbers: Sequence[int]) -> str:
        """The words, with a space between each two."""
        return " ".join(self.vocabulary[number] for number in numbers)

    @cached_property
    def edit(self) -> int:
        """Number of the one word after which an action goes on."""
        return self._number["edit"]


def build_tokenizer(tasks: Sequence[Task]) -> Tokenizer:
    """Collect the words of the protocol, of all function names, and of the tasks before and after every edit.

    Built from all tasks, as the experiments do, it is the first channel by which held-out tasks could leak: their words
    have embeddings, which nothing but their absence has trained.
    """
    found = dict.fromkeys((_UNKNOWN, *_PROTOCOL, *function_names()))
    for task in tasks:
        for edits in ((), *((operator,) for operator in OPERATORS)):
            found.update(dict.fromkeys(words(source_of(task, edits, task.name))))
    return Tokenizer(found)
