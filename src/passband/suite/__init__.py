"""Immutable, content-addressed sets of cases, and how they are read from disk."""

from passband.suite.evalsuite import EvalSuite, case_digest
from passband.suite.jsonl import dump_jsonl
from passband.suite.load import BUILTIN, load_suite
from passband.suite.splits import split_by_group, split_by_time, split_by_variant

__all__ = [
    "BUILTIN",
    "EvalSuite",
    "case_digest",
    "dump_jsonl",
    "load_suite",
    "split_by_group",
    "split_by_time",
    "split_by_variant",
]
