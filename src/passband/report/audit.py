"""A leakage audit as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from passband.report.words import elide, many, percent, points, printable, significance, span, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from passband.compare import LeakEffect, RemovalEffect

__all__ = ["render_audit"]

_SHOWN = 3


class _Hit(Protocol):
    @property
    def case(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def strength(self) -> float: ...
    @property
    def evidence(self) -> str: ...


class _Channel(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def carries(self) -> str: ...
    @property
    def looked(self) -> str: ...
    @property
    def hits(self) -> Sequence[_Hit]: ...
    @property
    def measure(self) -> str: ...


class _Audit(Protocol):
    @property
    def suite(self) -> str: ...
    @property
    def suite_version(self) -> str: ...
    @property
    def n_cases(self) -> int: ...
    @property
    def train(self) -> str: ...
    @property
    def n_documents(self) -> int: ...
    @property
    def channels(self) -> Sequence[_Channel]: ...
    @property
    def not_looked(self) -> Sequence[str]: ...


def render_audit(
    audit: _Audit,
    effects: Mapping[str, LeakEffect] | None = None,
    removed: Mapping[str, RemovalEffect] | None = None,
    *,
    left: Sequence[str] = (),
) -> str:
    """Render an audit: a paragraph a channel that has hits, a line for each that has none.

    Parameters
    ----------
    audit : Audit
        What was found.
    effects : mapping of str to LeakEffect, optional
        Channel → what it was measured to do, by a run on leaked and clean cases.
    removed : mapping of str to RemovalEffect, optional
        Channel → what it was measured to do, by removing it.
    left : sequence of str
        What could not be removed.
    """
    return "\n".join(_lines(audit, effects or {}, removed or {}, left))


def _lines(
    audit: _Audit, effects: Mapping[str, LeakEffect], removed: Mapping[str, RemovalEffect], left: Sequence[str]
) -> Iterator[str]:
    answers = {hit.case for channel in audit.channels if channel.carries == "answers" for hit in channel.hits}
    tasks = {hit.case for channel in audit.channels if channel.carries == "tasks" for hit in channel.hits}
    word = "LEAKS" if answers or tasks else "CLEAN"
    yield (
        f"{word}  {audit.suite}@{audit.suite_version[:6]}: of {many(audit.n_cases, 'case')}, answers of {len(answers)} "
        f"and the whole task of {len(tasks)} may be known"
    )
    yield ""
    yield f"  against {many(audit.n_documents, 'document')} of {printable(audit.train)}"
    for channel in audit.channels:
        if channel.hits:
            yield ""
            share = (
                f"{len(channel.hits)} of {many(audit.n_cases, 'case')} ({percent(len(channel.hits) / audit.n_cases)}%)"
            )
            yield f"{channel.name}  {share}  carries {channel.carries}"
            yield from wrapped(channel.looked, first="  looked at    ", indent=" " * 15)
            for hit in channel.hits[:_SHOWN]:
                yield from wrapped(
                    f"{elide(hit.case, 30)} ← {elide(hit.source, 30)}  {hit.strength:.2f}  {printable(hit.evidence)}",
                    first="  " + ("strongest    " if hit is channel.hits[0] else " " * 13),
                    indent=" " * 15,
                )
            effect, removal = effects.get(channel.name), removed.get(channel.name)
            if effect is not None:
                yield from wrapped(_effect(effect), first="  measured     ", indent=" " * 15)
            if removal is not None:
                yield from wrapped(_removal(removal), first="  removed      ", indent=" " * 15)
            if effect is None and removal is None:
                yield from wrapped(channel.measure, first="  measure by   ", indent=" " * 15)
    none = [channel.name for channel in audit.channels if not channel.hits]
    if none:
        yield ""
        yield from wrapped(", ".join(none), first="nothing found  ", indent=" " * 15)
    for note in audit.not_looked:
        yield from wrapped(printable(note), first="not looked at  ", indent=" " * 15)
    for note in left:
        yield from wrapped(printable(note), first="not removed    ", indent=" " * 15)


def _effect(effect: LeakEffect) -> str:
    found = effect.effect
    estimate = found.estimate
    what = (
        f"the gain over the baseline is {points(found.means[1])} points on {many(effect.n_leaked, 'leaked case')} and "
        f"{points(found.means[0])} on {effect.n_clean} clean ones"
        if effect.paired
        else f"pass@1 is {percent(found.means[1])} on {many(effect.n_leaked, 'leaked case')} and "
        f"{percent(found.means[0])} on {effect.n_clean} clean ones (difficulty not removed: give --baseline)"
    )
    if estimate.low is None or estimate.high is None:
        verdict = "no interval: " + "; ".join(estimate.warnings)
    elif float(estimate.low) > 0:
        verdict = f"it moves the number; on clean cases pass@1 is {percent(effect.pass_at_1_clean)}"
    elif float(estimate.high) < 0:
        verdict = "leaked cases gain less"
    else:
        verdict = "no effect shown"
    return f"{what}: Δ {points(float(estimate.value))} {span(estimate)}, p {significance(found.p_value)}; {verdict}"


def _removal(effect: RemovalEffect) -> str:
    estimate = effect.difference.estimate
    what = (
        f"pass@1 is {percent(effect.rates[1])} with it and {percent(effect.rates[0])} without, on "
        f"{many(effect.n_cases, 'case')} × {effect.samples}, paired"
    )
    said = {"better": "it moves the number", "worse": "with it fewer pass"}.get(effect.verdict, "no effect shown")
    if estimate.low is None:
        said = "no interval: " + "; ".join(estimate.warnings)
    errors = f"; {many(effect.errored, 'sample')} without a verdict" if effect.errored else ""
    value = f"Δ {points(float(estimate.value))} {span(estimate)}, p {significance(effect.difference.p_value)}"
    return f"{what}: {value}; {said}{errors}"
