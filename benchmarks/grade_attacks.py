"""Every row of the handed answer key in every tier of the sandbox that this machine gives, in tiers 1, 2 and 3.

The key lies in ``../shared/data/attacks``, or where PASSBAND_ATTACKS says. Prints a table, with each row that got
another verdict than the key's. The tier without isolation is only run with ``--process``: do that on a machine, or in a
container, that may be lost.

    python benchmarks/grade_attacks.py [--sandbox TIER ...] [--process]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec
from tests.grade.handed import ROWS, accepted, answer, handed_case

from passband.grade import Grading
from passband.records import EvalCase, Fault
from passband.sandbox import doctor

# What a careful author of a suite would write: the runner's own report, and nothing of the tree's configuration.
COMMAND = ("{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir={hidden}", "-c", os.devnull)
COMMAND += ("--confcutdir={hidden}", "--import-mode=importlib", "--noconftest", "--junitxml={results}", "{hidden}")


def command_case() -> EvalCase:
    """The key's case in tier 3, whose test ids are JUnit's."""
    case = handed_case("auto")
    spec = case.grader_spec

    def named(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"tests.{Path(file).stem}::{name}" for file, _, name in (i.partition("::") for i in ids))

    spec = msgspec.structs.replace(
        spec,
        tier="command",
        command=COMMAND,
        results="junit",
        fail_to_pass=named(spec.fail_to_pass),
        pass_to_pass=named(spec.pass_to_pass),
    )
    return msgspec.structs.replace(case, id="attacks-command", grader_spec=spec)


def graded(case: EvalCase, sandbox: str) -> tuple[str, dict[str, str]]:
    """Grade every row; returns how the verdicts name their tier, and row → word where it is not the key's."""
    wrong, tier = {}, ""
    with Grading(sandbox, unsafe=sandbox == "process") as grading:
        for id_, row in ROWS.items():
            verdict = grading.grade(case, answer(row))
            if isinstance(verdict, Fault):
                wrong[id_] = f"fault: {verdict.detail}"
                continue
            tier = verdict.tier if verdict.tier != "static" else tier
            if verdict.outcome.value not in accepted(row):
                wrong[id_] = f"{verdict.outcome.value} for {row['expected']}"
    return tier, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", nargs="*", help="tiers of the sandbox; all that work here")
    parser.add_argument("--tier", nargs="*", default=["split", "pytest", "command"], help="tiers of the grader")
    parser.add_argument("--process", action="store_true", help="run without isolation as well")
    options = parser.parse_args()
    if not ROWS:
        print("there is no answer key here")
        return
    if options.sandbox is None:
        options.sandbox = [trial["tier"] for trial in doctor()["trials"] if trial["works"]]
    if options.process:
        options.sandbox.append("process")
    cases = {tier: command_case() if tier == "command" else handed_case(tier) for tier in options.tier}
    print(f"| sandbox | tier | right, of {len(ROWS)} | another verdict than the key's |\n|---|---|---|---|", flush=True)
    for sandbox in options.sandbox:
        for case in cases.values():
            tier, wrong = graded(case, sandbox)
            said = "; ".join(f"{id_} {what}" for id_, what in wrong.items()) or "none"
            print(f"| {sandbox} | {tier} | {len(ROWS) - len(wrong)} | {said} |", flush=True)


if __name__ == "__main__":
    main()
