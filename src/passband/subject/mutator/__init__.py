"""Two offline subjects: seeded program repair by one plausible edit.

``mutator`` parses the code, picks one of the repair operators of its grammar that apply, then one of its places.
``mutator-focus`` weighs the same edits by how common such repairs are and by what the issue says. Neither runs
anything, and neither sees reference or hidden tests.
"""

from passband.subject.mutator.subject import MUTATORS, Mutator

__all__ = ["MUTATORS", "Mutator"]
