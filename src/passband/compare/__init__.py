"""Findings about two runs, or several."""

from passband.compare.actions import ActionShift, action_shifts
from passband.compare.canary import Canary, CanaryReport, Perch, PerchResult, check_canary, record_perch
from passband.compare.claim import Claim, claim_schema, read_claim
from passband.compare.crossing import Crossing
from passband.compare.drift import Drift, harness_drift
from passband.compare.harness import HarnessDifference, harness_differences
from passband.compare.leak import LeakEffect, RemovalEffect, leak_effect, removal_effect
from passband.compare.narrowing import LostCoverage, Narrowing, compare_coverage, name_actions
from passband.compare.needs import SampleNeed, SeedNeed
from passband.compare.paired import compare_runs
from passband.compare.pairing import CommonSeeds
from passband.compare.pilot import PilotPower, pilot_power
from passband.compare.ranking import RankedSystem, Ranking, rank_runs
from passband.compare.recipe import RecipeComparison, compare_recipes
from passband.compare.result import CaseChange, Comparison, CurvePoint, Fragility, Metered, SliceDifference
from passband.compare.review import ClaimWord, Review, ReviewRow, Support, review_claim
from passband.compare.selection import (
    Candidate,
    Inflation,
    Selection,
    SelectionRule,
    read_selection_rule,
    select_run,
)
from passband.compare.suspicion import Suspicion, headline_suspicions, pair_suspicions, unisolated
from passband.compare.toml_file import TomlError
from passband.compare.verdict import Word, exit_code, verdict_of

__all__ = [
    "ActionShift",
    "Canary",
    "CanaryReport",
    "Candidate",
    "CaseChange",
    "Claim",
    "ClaimWord",
    "CommonSeeds",
    "Comparison",
    "Crossing",
    "CurvePoint",
    "Drift",
    "Fragility",
    "HarnessDifference",
    "Inflation",
    "LeakEffect",
    "LostCoverage",
    "Metered",
    "Narrowing",
    "Perch",
    "PerchResult",
    "PilotPower",
    "RankedSystem",
    "Ranking",
    "RecipeComparison",
    "RemovalEffect",
    "Review",
    "ReviewRow",
    "SampleNeed",
    "SeedNeed",
    "Selection",
    "SelectionRule",
    "SliceDifference",
    "Support",
    "Suspicion",
    "TomlError",
    "Word",
    "action_shifts",
    "check_canary",
    "claim_schema",
    "compare_coverage",
    "compare_recipes",
    "compare_runs",
    "exit_code",
    "harness_differences",
    "harness_drift",
    "headline_suspicions",
    "leak_effect",
    "name_actions",
    "pair_suspicions",
    "pilot_power",
    "rank_runs",
    "read_claim",
    "read_selection_rule",
    "record_perch",
    "removal_effect",
    "review_claim",
    "select_run",
    "unisolated",
    "verdict_of",
]
