"""The seam: what the producing side writes and the judging side reads.

Frozen :mod:`msgspec` structs: validated in about a microsecond, with a JSON Schema for free, at a third
of the import cost of the next library that does both. Everything here is plain data; nothing here runs or computes.
"""

from passband.records.canonical import canonical_json, content_digest, freeze
from passband.records.case import (
    DEFAULT_FORBIDDEN,
    EvalCase,
    ExactMatchSpec,
    ExecutionSpec,
    GraderSpec,
    Limits,
    PredicateSpec,
)
from passband.records.choices import unknown_choice
from passband.records.codec import SCHEMA_VERSION, decode, encode, json_schema
from passband.records.harness import Harness, RunHeader
from passband.records.sample import (
    Answer,
    AnswerFormat,
    CaseResult,
    Fault,
    Outcome,
    Sample,
    Status,
    Timing,
    Usage,
    Verdict,
)
from passband.records.split import Split
from passband.records.table import OUTCOME_CODES, SampleTable

__all__ = [
    "DEFAULT_FORBIDDEN",
    "OUTCOME_CODES",
    "SCHEMA_VERSION",
    "Answer",
    "AnswerFormat",
    "CaseResult",
    "EvalCase",
    "ExactMatchSpec",
    "ExecutionSpec",
    "Fault",
    "GraderSpec",
    "Harness",
    "Limits",
    "Outcome",
    "PredicateSpec",
    "RunHeader",
    "Sample",
    "SampleTable",
    "Split",
    "Status",
    "Timing",
    "Usage",
    "Verdict",
    "canonical_json",
    "content_digest",
    "decode",
    "encode",
    "freeze",
    "json_schema",
    "unknown_choice",
]
