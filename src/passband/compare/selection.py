"""Choose one of several runs by a written rule: on validation, and report test once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np

from passband.aggregate import restrict, run_arrays
from passband.compare.together import bring_together
from passband.compare.toml_file import TomlError, read_toml
from passband.errors import DataError, UsageError
from passband.records import content_digest
from passband.stats import best_set, pass_rate_interval
from passband.stats.selective import selection_interval
from passband.stats.winners_curse import winners_curse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from passband.compare.together import Together
    from passband.records import SampleTable, Split
    from passband.stats import BestSet, Estimate

__all__ = ["Candidate", "Inflation", "Selection", "SelectionRule", "read_selection_rule", "select_run"]


class SelectionRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is written down before anything is looked at."""

    split: str
    """The split file, relative to the rule's file."""
    choose: Literal["best", "earliest-of-best"]
    """``best``: the highest pass@1, of equal ones the first named. ``earliest-of-best``: the first named of those that
    can't be told apart from the best."""
    validation: str = "validation"
    test: str = "test"
    level: Annotated[float, msgspec.Meta(ge=0.5, lt=1)] = 0.95

    def digest(self, split: Split) -> str:
        """Hash of the rule and of the cases of both parts: a rule that is changed afterwards has another."""
        parts = {"validation": split.part_digest(self.validation), "test": split.part_digest(self.test)}
        content = {"choose": self.choose, "level": repr(self.level), **parts}
        return content_digest("passband.selection", 1, content)


def read_selection_rule(path: Path) -> SelectionRule:
    """Read ``selection.toml``.

    Raises
    ------
    TomlError
        Where it can't be read or says something that no rule says: with file, line, column and caret.
    """
    rule, text = read_toml(path, SelectionRule, start='write one: split = "split.json" and choose = "best"')
    if rule.validation == rule.test:
        key = "test" if rule.test != "test" else "validation"
        what = "validation and test are one part: choosing on test reports nothing"
        raise TomlError.at(what, text, path, key=key)
    return rule


@dataclass(frozen=True)
class Candidate:
    """One run on the part that chooses."""

    run_id: str
    subject: str
    chosen_on: Estimate
    """Pass@1 on that part. Of the chosen run it is too high on average: not for quoting."""
    may_be_best: bool
    chosen: bool
    errored: int
    """Samples of that part without a verdict."""
    drawn: int
    bounds: tuple[float, float]
    """Pass@1 there with everything that errored failed, and passed: over the cases of the part that all candidates
    drew, or over the shared ones that `chosen_on` is of, whichever lies further out."""


@dataclass(frozen=True)
class Inflation:
    """What choosing on test has done to the number of the chosen run."""

    observed: Estimate
    """As observed, with the interval that ignores the choice: wrong, for the difference."""
    corrected: Estimate
    """As observed, with the interval that covers in spite of the choice."""
    expected: float
    """How much the observed rate overstates on average, for candidates as far apart as these."""
    expected_if_equal: float


@dataclass(frozen=True)
class Selection:
    """The choice, and the one number it earns."""

    rule: str
    rule_digest: str
    part: str
    """The part that chose."""
    candidates: tuple[Candidate, ...]
    chosen: str
    """What the rule takes from the samples that have a verdict."""
    settled: bool
    """Whether it takes the same whatever the other samples would have been. Where not, no test number is given."""
    n_tied: int
    """How many can't be told apart from the best on the part that chose, the best included."""
    test: Estimate | None
    """Pass@1 of the chosen run on test, which no choice has touched; None where it was not evaluated there, where the
    choice is not settled, or where test itself chose."""
    test_run: str | None
    inflation: Inflation | None
    """Where test itself chose."""
    test_digest: str
    n_test_cases: int


def select_run(
    tables: Sequence[SampleTable],
    rule: SelectionRule,
    split: Split,
    *,
    test_run: SampleTable | None = None,
    on_test: bool = False,
) -> Selection:
    """Choose a run.

    Parameters
    ----------
    tables : sequence of SampleTable
        The candidates, in their order (of training steps, for checkpoints).
    rule : SelectionRule
        How to choose.
    split : Split
        Which cases are validation and which test.
    test_run : SampleTable, optional
        The chosen subject's run on the test part, where its candidate run has no test cases.
    on_test : bool
        Choose on test all the same: the result then carries the inflation and an interval that allows for it.

    Returns
    -------
    Selection

    Raises
    ------
    UsageError
        With fewer than two candidates, or a test run of another subject than the chosen one.
    DataError
        Where the candidates share no case of the part that chooses.
    """
    if len(tables) < 2:
        raise UsageError("one run leaves nothing to choose", fix="name every candidate")
    part = rule.test if on_test else rule.validation
    split.part_digest(part)  # says where there is no such part
    kept = [restrict(table, split.parts[part]) for table in tables]
    together = bring_together(kept)
    if len(together.cases) < 2:
        names = ", ".join(table.header.run_id for table in tables[:4])
        few = "1 case" if together.cases else "no case"
        raise DataError(f"share {few} of the part {part!r}: too few to choose by", where=names)
    c, n = together.passed, together.graded
    observed = best_set(together.rates, level=rule.level)
    found = best_set(together.rates, level=rule.level, least=together.least) if any(together.errored) else observed
    pick = _pick(rule, found)
    settled = not any(together.errored) or (pick == _pick(rule, observed) and _stands(rule, together, pick))
    chosen = tables[pick]
    test = source = None
    if not on_test and settled:
        source = test_run or chosen
        _check_subject(source, chosen)
        on_it = run_arrays(restrict(source, split.parts[rule.test]))
        graded = on_it.graded > 0
        if graded.any():
            test = pass_rate_interval(on_it.passed[graded], on_it.graded[graded], level=rule.level)
    return Selection(
        rule=rule.choose,
        rule_digest=rule.digest(split),
        part=part,
        candidates=tuple(
            Candidate(
                run_id=table.header.run_id,
                subject=table.header.subject,
                chosen_on=pass_rate_interval(c[i], n[i], level=rule.level),
                may_be_best=bool(found.in_set[i]),
                chosen=i == pick,
                errored=together.errored[i],
                drawn=len(kept[i]),
                bounds=(float(together.bounds[i, 0]), float(together.bounds[i, 1])),
            )
            for i, table in enumerate(tables)
        ),
        chosen=chosen.header.run_id,
        settled=settled,
        n_tied=int(found.in_set.sum()),
        test=test,
        test_run=source.header.run_id if source is not None and test is not None else None,
        inflation=_inflation(c, n, pick, rule.level) if on_test and settled else None,
        test_digest=split.part_digest(rule.test),
        n_test_cases=len(split.parts[rule.test]),
    )


def _check_subject(source: SampleTable, chosen: SampleTable) -> None:
    mine, theirs = source.header, chosen.header
    if (mine.subject, dict(mine.subject_params)) != (theirs.subject, dict(theirs.subject_params)):
        raise UsageError(
            f"the rule chose {theirs.run_id} ({theirs.subject}), and {mine.run_id} is a run of {mine.subject}",
            fix="evaluate the chosen subject on test",
        )


def _pick(rule: SelectionRule, found: BestSet) -> int:
    return found.leader if rule.choose == "best" else int(np.flatnonzero(found.in_set)[0])


def _stands(rule: SelectionRule, together: Together, pick: int) -> bool:
    """Whether the highest rate stays the highest whatever the samples that errored would have been."""
    if rule.choose != "best":
        return True
    ahead = together.least[:, pick]
    later = np.arange(len(ahead)) > pick  # of equal ones the first named is taken
    return bool(((ahead > 0) | ((ahead == 0) & later))[np.arange(len(ahead)) != pick].all())


def _inflation(c: NDArray[np.int64], n: NDArray[np.int64], pick: int, level: float) -> Inflation:
    rates = c / n
    tasks = rates.shape[1]
    errors = rates.std(axis=1, ddof=1) / np.sqrt(tasks)
    varied = rates[rates.std(axis=1) > 0]
    pairs = np.corrcoef(varied)[np.triu_indices(len(varied), 1)] if len(varied) > 1 else np.zeros(1)
    rho = float(np.clip(pairs.mean(), 0.0, 0.99))
    curse = winners_curse(rates.mean(axis=1), errors, rho)
    interval = selection_interval(c, n, level=level)
    # A rule may take another than the best observed one: its interval then holds for all candidates at once.
    every = 1 - (1 - level) / len(c)
    corrected = interval.estimate if pick == interval.chosen else pass_rate_interval(c[pick], n[pick], level=every)
    return Inflation(
        observed=pass_rate_interval(c[pick], n[pick], level=level),
        corrected=corrected,
        expected=float(curse.inflation),
        expected_if_equal=float(curse.inflation_if_equal),
    )
