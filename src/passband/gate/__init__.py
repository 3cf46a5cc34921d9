"""A policy file and findings → pass, fail or inconclusive, with the reason for each rule."""

from passband.gate.decide import decide
from passband.gate.policy import (
    CaseFloor,
    Cost,
    FlakyCases,
    Floor,
    InfraErrors,
    NoLostCase,
    NoWorse,
    Policy,
    PolicyError,
    Power,
    Rule,
    policy_schema,
    read_policy,
)
from passband.gate.result import CaseToSee, GateReport, Needs, Outcome, RuleOutcome, RuleResult

__all__ = [
    "CaseFloor",
    "CaseToSee",
    "Cost",
    "FlakyCases",
    "Floor",
    "GateReport",
    "InfraErrors",
    "Needs",
    "NoLostCase",
    "NoWorse",
    "Outcome",
    "Policy",
    "PolicyError",
    "Power",
    "Rule",
    "RuleOutcome",
    "RuleResult",
    "decide",
    "policy_schema",
    "read_policy",
]
