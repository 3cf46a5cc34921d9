"""Two offline subjects: seeded program repair by one plausible edit.

``mutator`` parses the code and proposes one edit per sample from a grammar of repair operators. ``mutator-focus`` ranks
the same edits by what it may legitimately see: the issue's words and the visible tests. Neither runs anything, and
neither sees reference or hidden tests.
"""

from passband.subject.mutator.subject import MUTATORS, Mutator

__all__ = ["MUTATORS", "Mutator"]
