"""Sample tables made by hand, for tests of what reads them."""

from __future__ import annotations

from passband.records import OUTCOME_CODES, Harness, Outcome, RunHeader, SampleTable

HARNESS = Harness(suite="s", suite_version="v" * 64, grader="g@1", success_criterion="c", sandbox_tier="namespaces")
CODES = {"P": Outcome.RESOLVED, "F": Outcome.UNRESOLVED, "N": Outcome.NOT_APPLIED, "S": Outcome.SAFETY_VIOLATION}


def table(cases: dict[str, str], *, n: int | None = None, run_id="run", slices=None, harness=HARNESS) -> SampleTable:
    """Make a table of one letter a sample: P pass, F fail, N not applied, S safety violation, E errored, - not drawn.

    A letter may be followed by a digit that names the answer; equal digits of a case are equal answers.
    """
    parsed = {name: _letters(text) for name, text in cases.items()}
    made = SampleTable(
        RunHeader(
            run_id=run_id,
            subject="subject",
            harness=harness,
            seed=0,
            samples_per_case=n or max(map(len, parsed.values())),
            case_ids=tuple(cases),
            case_slices=tuple((slices or {}).get(name, {}) for name in cases),
        )
    )
    answers = iter(range(10**6, 10**9))
    for case, letters in enumerate(parsed.values()):
        for index, (letter, answer) in enumerate(letters):
            if letter == "-":
                continue
            outcome = OUTCOME_CODES.index(CODES[letter]) if letter != "E" else 0
            made.append(
                case=case,
                index=index,
                outcome=outcome,
                score=None if letter == "E" else float(letter == "P"),
                answer=next(answers) if answer is None else answer,
                cost_usd=None,
                tokens=2,
                seconds=0.5,
            )
    return made


def _letters(text: str) -> list[tuple[str, int | None]]:
    out: list[tuple[str, int | None]] = []
    for ch in text:
        if ch.isdigit():
            out[-1] = (out[-1][0], int(ch))
        else:
            out.append((ch, None))
    return out
