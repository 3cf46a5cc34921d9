"""Findings about two runs, or several."""

from passband.compare.canary import Canary, CanaryReport, Perch, PerchResult, check_canary, record_perch
from passband.compare.drift import Drift, harness_drift
from passband.compare.harness import HarnessDifference, harness_differences
from passband.compare.leak import LeakEffect, leak_effect
from passband.compare.narrowing import LostCoverage, Narrowing, compare_coverage
from passband.compare.paired import compare_runs
from passband.compare.pairing import CommonSeeds
from passband.compare.pilot import PilotPower, pilot_power
from passband.compare.ranking import RankedSystem, Ranking, rank_runs
from passband.compare.recipe import RecipeComparison, compare_recipes
from passband.compare.result import CaseChange, Comparison, CurvePoint, Fragility, Metered, SliceDifference
from passband.compare.selection import (
    Candidate,
    Inflation,
    Selection,
    SelectionRule,
    read_selection_rule,
    select_run,
)
from passband.compare.suspicion import Suspicion, headline_suspicions, pair_suspicions
from passband.compare.verdict import Word, exit_code, verdict_of

__all__ = [
    "Canary",
    "CanaryReport",
    "Candidate",
    "CaseChange",
    "CommonSeeds",
    "Comparison",
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
    "Selection",
    "SelectionRule",
    "SliceDifference",
    "Suspicion",
    "Word",
    "check_canary",
    "compare_coverage",
    "compare_recipes",
    "compare_runs",
    "exit_code",
    "harness_differences",
    "harness_drift",
    "headline_suspicions",
    "leak_effect",
    "pair_suspicions",
    "pilot_power",
    "rank_runs",
    "read_selection_rule",
    "record_perch",
    "select_run",
    "verdict_of",
]
