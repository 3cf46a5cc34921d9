"""The two rungs that read an answer as text: exact match, and a predicate of the suite's author."""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any, cast

from passband.errors import text_of
from passband.records import Answer, EvalCase, ExactMatchSpec, Outcome, PredicateSpec, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["grade_exact", "grade_predicate"]

_SHOWN = 200


def _verdict(passed: bool, detail: str, tier: str) -> Verdict:  # noqa: FBT001
    outcome = Outcome.RESOLVED if passed else Outcome.UNRESOLVED
    return Verdict(passed, 1.0 if passed else 0.0, f"{detail} [{tier}]", outcome, tier)


def grade_exact(case: EvalCase, answer: Answer, spec: ExactMatchSpec) -> Verdict:
    """Compare the answer's text with the text of the reference."""
    wanted, given = str(case.reference), answer.text
    if spec.strip:
        wanted, given = wanted.strip(), given.strip()
    if spec.ignore_case:
        wanted, given = wanted.casefold(), given.casefold()
    if wanted == given:
        return _verdict(True, "equal to the reference", "exact_match")
    return _verdict(False, f"not equal to the reference: {given[:_SHOWN]!r}", "exact_match")


def _target(name: str) -> Callable[[str, EvalCase], Any]:
    module, _, function = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    return cast("Callable[[str, EvalCase], Any]", found)


def grade_predicate(case: EvalCase, answer: Answer, spec: PredicateSpec) -> Verdict:
    """Ask the author's function; what it raises is a failing verdict with the exception's text."""
    try:
        passed = bool(_target(spec.target)(answer.text, case))
    except BaseException as error:  # a predicate that raises, or exits, is a failing case
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise  # the user's: signals strike there alone
        return _verdict(False, f"{spec.target} raised {type(error).__name__}: {text_of(error)}", "predicate")
    return _verdict(passed, f"{spec.target} said {'yes' if passed else 'no'}", "predicate")
