"""What a run may spend, and what it has spent."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.errors import UsageError
from passband.records import Usage
from passband.subject import Bounded, Priced, view_of
from passband.subject.check import check_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.records import EvalCase, Sample
    from passband.run.store import Spent
    from passband.subject import Subject
    from passband.suite import EvalSuite

__all__ = ["Budget", "Meter", "ceilings", "dollars", "most_of_run"]


@dataclass(frozen=True)
class Budget:
    """Bounds on a run over all its samples, those of earlier processes included; None is no bound.

    Attributes
    ----------
    wall_s : float, optional
        Seconds this process may start new samples for; what is in flight then is let finish.
    tokens : int, optional
        Input and output tokens.
    cost_usd : float, optional
        Dollars.
    """

    wall_s: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        for name in ("wall_s", "tokens", "cost_usd"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"a budget is above zero, not {value}", where=name)

    def check(self, subject: Subject, most: Usage | None) -> None:
        """Refuse a budget in dollars where it is known beforehand that no price will be.

        Parameters
        ----------
        subject : Subject
            Who is to be asked.
        most : Usage or None
            The most that one sample, or all, can use, where that is known.

        Raises
        ------
        UsageError
            Where it can't be kept.
        """
        unpriced = most is not None and most.cost_usd is None
        if self.cost_usd is not None and (unpriced or (isinstance(subject, Priced) and not subject.priced)):
            raise _no_price()


def _no_price(kept: str = "") -> UsageError:
    return UsageError(
        "a budget in dollars cannot be kept: the price of a sample is not known",
        fix=f"give the subject's prices, or a budget of tokens or time{kept}",
    )


def _not_counted() -> UsageError:
    return UsageError(
        "a budget in dollars cannot be kept: a sample came back without the number of its tokens",
        fix="see that the server reports usage, or give a budget of tokens or time",
    )


def ceilings(subject: Subject) -> Callable[[EvalCase], Usage | None]:
    """Return a function that knows the most one sample of a case can use, where the subject does."""
    if isinstance(subject, Bounded):
        bounded = subject

        def ceiling(case: EvalCase) -> Usage:
            try:
                return check_usage(bounded.ceiling(view_of(case)))
            except TypeError as error:
                raise UsageError(f"its ceiling's {error}", where=subject.name) from None

        return ceiling
    return lambda _case: None


def most_of_run(subject: Subject, suite: EvalSuite, samples_per_case: int) -> Usage | None:
    """Return the most that a whole run can use, where the subject knows a bound."""
    each = list(map(ceilings(subject), suite))
    known = [usage for usage in each if usage is not None]
    if len(known) < len(each) or not known:
        return None
    costs = [usage.cost_usd for usage in known if usage.cost_usd is not None]
    return Usage(
        input_tokens=samples_per_case * sum(usage.input_tokens for usage in known),
        output_tokens=samples_per_case * sum(usage.output_tokens for usage in known),
        cost_usd=samples_per_case * sum(costs) if len(costs) == len(known) else None,
    )


def _spent(budget: str, used: str, one: str) -> str:
    """Say that a budget admits no more; where some of it is left, that one sample may take more than that."""
    more = f"; one more sample may take {one}" if one else ""
    return f"the budget of {budget} is spent ({used} used{more})"


def dollars(amount: float) -> str:
    """Two digits after the point, or as many as show a sum that is not nothing."""
    digits = 2 if amount == 0 else max(2, 1 - math.floor(math.log10(amount)))
    return f"${amount:,.{digits}f}"


class Meter:
    """Decides whether one more sample may start, and knows what was spent.

    A sample in flight is reckoned at its ceiling where the subject has one, and at the dearest sample seen so far where
    it has none, and the first of a run is waited for: with ceilings a budget is never exceeded; without, only by
    samples that are dearer than any before them.

    Parameters
    ----------
    budget : Budget
        The bounds.
    spent : Spent, optional
        What earlier processes have spent on this run.
    """

    def __init__(self, budget: Budget, spent: Spent | None = None) -> None:
        self.budget = budget
        self.tokens = spent.tokens if spent else 0
        self.cost_usd = spent.cost_usd if spent else 0.0
        self._begun = time.monotonic()
        self._held_tokens = 0
        self._held_usd = 0.0
        self._unbounded = 0
        self._dearest_tokens = spent.most_tokens if spent else 0
        self._dearest_usd = spent.most_usd if spent else 0.0

    def admits(self, most: Usage | None) -> str | None:
        """Return None where a sample that uses `most` may start, else which budget is spent."""
        if late := self.late():
            return late
        budget = self.budget
        metered = budget.tokens is not None or budget.cost_usd is not None
        if metered and most is None and self._unbounded and not (self._dearest_tokens or self._dearest_usd):
            return "nothing is known yet of what a sample costs"
        need_tokens, need_usd = self._need(most)
        if budget.tokens is not None and self.tokens + self._reserved_tokens + need_tokens > budget.tokens:
            one = f"{need_tokens:,}" if self.tokens < budget.tokens else ""
            return _spent(f"{budget.tokens:,} tokens", f"{self.tokens:,}", one)
        if budget.cost_usd is not None and self.cost_usd + self._reserved_usd + need_usd > budget.cost_usd:
            one = dollars(need_usd) if self.cost_usd < budget.cost_usd else ""
            return _spent(dollars(budget.cost_usd), dollars(self.cost_usd), one)
        return None

    def late(self) -> str | None:
        """Return None until the time is spent, then that it is."""
        wall_s = self.budget.wall_s
        if wall_s is None or time.monotonic() - self._begun < wall_s:
            return None
        return f"the time budget of {wall_s:g} s is spent"

    def _need(self, most: Usage | None) -> tuple[int, float]:
        if most is None:
            # At least one token or a hair of a dollar: an exhausted budget admits nothing.
            return max(1, self._dearest_tokens), max(1e-12, self._dearest_usd)
        return most.input_tokens + most.output_tokens, most.cost_usd or 0.0

    @property
    def _reserved_tokens(self) -> int:
        return self._held_tokens + self._unbounded * self._dearest_tokens

    @property
    def _reserved_usd(self) -> float:
        return self._held_usd + self._unbounded * self._dearest_usd

    def start(self, most: Usage | None) -> None:
        """Reserve what a sample may use."""
        self._hold(most, 1)

    def finish(self, most: Usage | None, sample: Sample | None) -> None:
        """Book what a sample has used in place of what was reserved for it.

        Raises
        ------
        UsageError
            Where the budget is in dollars and the sample's price is not known.
        """
        self._hold(most, -1)
        if sample is None:
            return
        usage = sample.usage
        tokens, dollars = usage.input_tokens + usage.output_tokens, usage.cost_usd
        if self.budget.cost_usd is not None and dollars is None and sample.verdict is not None:
            raise _not_counted() if most is not None and most.cost_usd is not None else _no_price(", and --resume")
        self.tokens += tokens
        self.cost_usd += dollars or 0.0
        self._dearest_tokens = max(self._dearest_tokens, tokens)
        self._dearest_usd = max(self._dearest_usd, dollars or 0.0)

    def _hold(self, most: Usage | None, sign: int) -> None:
        if most is None:
            self._unbounded += sign
        else:
            self._held_tokens += sign * (most.input_tokens + most.output_tokens)
            self._held_usd += sign * (most.cost_usd or 0.0)
