import json

import jsonschema
import msgspec
import pytest

from passband.errors import DataError, SuiteError
from passband.records import (
    SCHEMA_VERSION,
    Answer,
    CaseResult,
    EvalCase,
    ExactMatchSpec,
    ExecutionSpec,
    Fault,
    Harness,
    Limits,
    Outcome,
    PredicateSpec,
    RunHeader,
    Sample,
    SampleTable,
    Status,
    Verdict,
    decode,
    encode,
    json_schema,
)

PASS = Verdict(passed=True, score=1.0, detail="ok", outcome=Outcome.RESOLVED)
HARNESS = Harness(
    suite="s", suite_version="v", grader="execution@1", success_criterion="tests", sandbox_tier="namespaces"
)


def a_case(**changes):
    """Make a small valid case."""
    values = {"id": "a", "inputs": {"issue": "x"}, "grader_spec": ExecutionSpec(fail_to_pass=("t",))}
    return EvalCase(**values | changes)


def a_sample(**changes):
    """Make a small valid sample."""
    values = {"index": 0, "seed": 1, "output": Answer(b"\xff\0"), "verdict": PASS}
    return Sample(**values | changes)


@pytest.mark.parametrize(
    "record",
    [
        a_case(workspace={"a.py": b"\xff"}, hidden={"t.py": b""}, reference="x", slices={"k": "v"}),
        a_case(grader_spec=PredicateSpec(target="m:f"), reference={"x": [1, None]}),
        a_case(grader_spec=ExactMatchSpec(ignore_case=True), reference="x"),
        a_sample(trace=({"event": "edit", "n": [1]},)),
        a_sample(verdict=None, status=Status.ERRORED, faults=(Fault("grade", "gone"),)),
        CaseResult("a", (a_sample(),)),
        RunHeader(run_id="r", subject="s", harness=HARNESS, seed=1, samples_per_case=2, case_ids=("a",)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_records_survive_the_round_trip(record):
    """What is stored is what comes back, and it fits the published schema."""
    data = encode(record)
    assert decode(data, type(record)) == record
    schema = json_schema()
    jsonschema.validate(json.loads(data), {"$ref": f"#/$defs/{type(record).__name__}", "$defs": schema["$defs"]})


def test_schema_carries_its_version():
    """The published schema says which version of the records it describes."""
    assert json_schema()["version"] == SCHEMA_VERSION


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"index": "0"}', r"\$.index"),
        (b'{"index": 0, "colour": 1}', "colour"),
        (b"not json", "malformed"),
        (b"\xff", "where"),
    ],
)
def test_decoding_is_strict(data, words):
    """A record with a field of the wrong type or name is refused with the field's path."""
    with pytest.raises(DataError, match=words):
        decode(data, Sample, where="where")


def test_records_are_frozen():
    """No stage can change what another has recorded, not even inside a field."""
    case = a_case(workspace={"a.py": b""})
    with pytest.raises(AttributeError):
        case.id = "b"
    with pytest.raises(TypeError):
        case.workspace["a.py"] = b"changed"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Verdict(passed=True, score=1.0, detail="", outcome=Outcome.UNRESOLVED),
        lambda: Verdict(passed=False, score=1.5, detail="", outcome=Outcome.UNRESOLVED),
        lambda: Verdict(passed=False, score=float("nan"), detail="", outcome=Outcome.UNRESOLVED),
        lambda: a_sample(verdict=None),
        lambda: a_sample(status=Status.ERRORED),
        lambda: a_sample(verdict=None, status=Status.ERRORED),
    ],
)
def test_contradictions_cannot_be_recorded(make):
    """A verdict that contradicts itself, or a sample whose status contradicts its verdict, does not exist."""
    with pytest.raises(DataError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: a_case(id=""),
        lambda: a_case(id="a\nb"),
        lambda: ExecutionSpec(fail_to_pass=()),
        lambda: ExecutionSpec(fail_to_pass=("t",), pass_to_pass=("t",)),
        lambda: ExecutionSpec(fail_to_pass=("t", "t")),
        lambda: Limits(wall_s=0),
        lambda: Limits(mem_mb=-1),
    ],
)
def test_senseless_cases_are_refused(make):
    """A case that could not be graded is refused when it is made."""
    with pytest.raises(SuiteError):
        make()


def test_equal_limits_have_one_form():
    """Twenty seconds are twenty seconds, written as an integer or not."""
    assert encode(Limits(wall_s=20)) == encode(Limits(wall_s=20.0))


def test_fingerprint_moves_with_every_field():
    """Whatever of the harness changes, the fingerprint changes."""
    other = {
        "limits": {"wall_s": 1},
        "prompt_template": "x",
        "tools": ("t",),
        "budgets": {"turns": 3},
        "sampling": {"temperature": 0.7},
        "packages": {"python": "4"},
    }
    seen = {HARNESS.fingerprint}
    for name in Harness.__struct_fields__:
        seen.add(msgspec.structs.replace(HARNESS, **{name: other.get(name, "else")}).fingerprint)
    assert len(seen) == len(Harness.__struct_fields__) + 1


def test_answers_keep_bytes_that_are_not_text():
    """Bytes that are no UTF-8 survive a reading with surrogateescape, and show as U+FFFD."""
    raw = b"caf\xe9"
    answer = Answer.of(raw.decode(errors="surrogateescape"))
    assert answer.payload == raw
    assert answer.text == "caf\ufffd"


def test_table_refuses_a_score_without_an_outcome():
    """An errored row has no score, and a graded one has one."""
    table = SampleTable(
        RunHeader(run_id="r", subject="s", harness=HARNESS, seed=1, samples_per_case=1, case_ids=("a",))
    )
    row = {"case": 0, "index": 0, "answer": 0, "cost_usd": None, "tokens": 0, "seconds": 0.0}
    with pytest.raises(DataError):
        table.append(outcome=0, score=1.0, **row)
    with pytest.raises(DataError):
        table.append(outcome=1, score=None, **row)
    table.append(outcome=1, score=1.0, **row)
    assert (list(table.passed), len(table)) == ([1], 1)
