"""Runs of letters in a store on disk, for tests of commands."""

from __future__ import annotations

import msgspec

from passband.records import Answer, Fault, Outcome, RunHeader, Sample, Status, Verdict
from passband.run import open_store
from tests.tables import CODES, HARNESS


def store_run(path, run_id, cases, *, subject=None, seed=0, harness=HARNESS, slices=None, created_at=1.0, **changes):
    """Write a run of one letter a sample, as `tests.tables.table` reads them; digits tell answers apart."""
    n = max(len([ch for ch in text if not ch.isdigit()]) for text in cases.values())
    header = RunHeader(
        run_id=run_id,
        subject=subject or run_id,
        harness=msgspec.structs.replace(harness, **changes),
        seed=seed,
        samples_per_case=n,
        case_ids=tuple(cases),
        case_slices=tuple((slices or {}).get(case, {}) for case in cases),
        created_at=created_at,
    )
    rows = []
    for place, text in enumerate(cases.values()):
        index = -1
        for at, letter in enumerate(text):
            if letter.isdigit():
                continue
            index += 1
            named = text[at + 1 : at + 2] if text[at + 1 : at + 2].isdigit() else f"{run_id}-{index}"
            rows.append((place, _sample(index, letter, named)))
    with open_store(str(path), create=True) as store:
        store.add_run(header)
        store.add_samples(run_id, rows)
    return header


def _sample(index, letter, answer):
    if letter == "E":
        return Sample(
            index=index,
            seed=index,
            output=None,
            verdict=None,
            status=Status.ERRORED,
            faults=(Fault("sandbox", "gone"),),
        )
    outcome = CODES[letter]
    passed = outcome is Outcome.RESOLVED
    verdict = Verdict(passed=passed, score=float(passed), detail="", outcome=outcome)
    return Sample(index=index, seed=index, output=Answer.of(answer), verdict=verdict)
