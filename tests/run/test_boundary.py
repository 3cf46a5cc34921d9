"""What a subject gives back or raises ends its own sample at the worst, and never the run."""

import asyncio
import math
import threading
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pytest

from passband.errors import UsageError
from passband.records import Answer, AnswerFormat, Fault, Status, Usage
from passband.run import Budget, RetryPolicy, execute, make_header
from passband.run.store import Store
from passband.run.work import Drawer, Work
from passband.subject import BatchFunctionSubject, FunctionSubject, Response, SubjectFault
from tests.run.doubles import ExactGrading, coin_suite


class MuteError(Exception):
    """An exception that can't say what it is."""

    def __str__(self):
        raise RuntimeError("no words")


class Own(BaseException):
    """Nobody's exception."""


@dataclass
class Point:
    """Data that a trace may hold."""

    x: tuple


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"in": value}
    return value


def response(**fields):
    return lambda: Response(**{"output": Answer(b"1"), **fields})


def raises(error):
    def answer():
        raise error

    return answer


RETURNS = {
    "an object that is no data": (response(trace=({"at": Path("/")},)), "trace cannot be stored: PosixPath"),
    "an object of its own": (response(trace=({"at": object()},)), "trace cannot be stored: object"),
    "text for an event": (response(trace=("thought",)), "trace is not a tuple of mappings"),
    "a set for an event": (response(trace=({1, 2},)), "trace is not a tuple of mappings"),
    "a trace of no end": (response(trace=(deep(200),)), "trace is more than 100 levels deep"),
    "a trace without a bottom": (response(trace=(deep(50_000),)), "trace is more than 100 levels deep"),
    "half a character": (response(trace=({"say": "\ud800"},)), "trace cannot be stored"),
    "a number without end in a trace": (response(trace=({"n": 10**30},)), "trace has a number of more than 64 bits"),
    "no number in a trace": (response(trace=({"loss": [0.5, float("nan")]},)), "trace has a number that is nan, which"),
    "a hidden infinity in a trace": (
        response(trace=({"at": MappingProxyType({"p": Point(x=(-math.inf,))})},)),
        "trace has a number that is -inf, which",
    ),
    "a mapping for usage": (response(usage={"output_tokens": 3}), "usage is dict, not Usage"),
    "text for an answer": (response(output="1"), "output is str, not Answer: Answer.of"),
    "text for a payload": (response(output=Answer("1")), "payload that is str, not bytes"),
    "no format": (response(output=Answer(b"1", "prose")), "format 'prose', which is no AnswerFormat"),
    "a word for a count": (response(usage=Usage(output_tokens="many")), "output_tokens of 'many'"),
    "a count without end": (response(usage=Usage(input_tokens=10**30)), "input_tokens of more than 64 bits"),
    "a count below zero": (response(usage=Usage(input_tokens=-1)), "input_tokens of -1"),
    "a negative cost": (response(usage=Usage(cost_usd=-1.0)), "cost_usd of -1.0"),
    "an endless cost": (response(usage=Usage(cost_usd=float("inf"))), "cost_usd of inf"),
    "a cost that is no number": (response(usage=Usage(cost_usd=float("nan"))), "cost_usd of nan"),
    "a word for a cost": (response(usage=Usage(cost_usd="cheap")), "cost_usd of 'cheap'"),
    "words for faults": (response(faults=("oops",)), "faults are not a tuple of Fault"),
    "a fault that can't be stored": (response(faults=(Fault("subject", 3),)), "faults cannot be stored"),
    "no response": (lambda: 42, "returned int, not"),
}
RAISES = {
    "an exception without words": (raises(MuteError()), "MuteError: it cannot say what"),
    "half a character in a message": (raises(ValueError("\ud800")), r"ValueError: \ud800"),
    "an exit": (raises(SystemExit(0)), "SystemExit: 0"),
    "the end of a generator": (raises(GeneratorExit()), "GeneratorExit"),
    "Ctrl-C of its own": (raises(KeyboardInterrupt()), "KeyboardInterrupt"),
    "a cancellation": (raises(asyncio.CancelledError()), "CancelledError"),
    "what is no Exception": (raises(Own("x")), "Own: x"),
    "a fault with a mapping for usage": (raises(SubjectFault("lost", usage={"a": 1})), "lost; "),
    "a fault with a negative cost": (raises(SubjectFault("lost", usage=Usage(cost_usd=-1.0))), "cost_usd of -1.0"),
    "a fault with words for faults": (raises(SubjectFault("lost", faults=["x"])), "faults are not a tuple"),
}
BAD = RETURNS | RAISES


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "passband.db", create=True) as opened:
        yield opened


def drawn(store, subject, budget=None):
    """Draw one sample of each of three cases, without waits, and return them as they are read from the store."""
    suite, grading = coin_suite(3), ExactGrading()
    header = make_header(suite, subject, grading, samples_per_case=1, seed=1, created_at=0.0)
    store.add_run(header)
    execute(
        header,
        suite,
        subject,
        grading,
        store,
        workers=2,
        on_progress=lambda _: None,
        retry=RetryPolicy(attempts=2, base_s=0.0),
        budget=budget,
    )
    return [sample for _, sample in store.samples(header.run_id)]


def plain(bad):
    return FunctionSubject("f", lambda view, seed: bad() if view.id == "c001" else "1")


def asynchronous(bad):
    async def answer(view, seed):
        await asyncio.sleep(0)
        return bad() if view.id == "c001" else "1"

    return FunctionSubject("f", answer)


def batch(bad):
    def answer(views, seeds):
        return [bad() if view.id == "c001" else "1" for view in views]

    return BatchFunctionSubject("f", answer, 3)


class Whole:
    """A subject that is no function."""

    name = "f"
    params: ClassVar[dict[str, object]] = {}

    def __init__(self, bad):
        self._bad = bad

    def sample(self, view, seed):
        return self._bad() if view.id == "c001" else Response(output=Answer(b"1"))


@pytest.mark.parametrize("kind", [plain, asynchronous, batch, Whole])
@pytest.mark.parametrize("what", BAD)
def test_one_bad_sample_is_errored_and_says_why(store, kind, what):
    """Whatever one sample returns or raises, it alone is errored, with a cause; the others are graded."""
    bad, words = BAD[what]
    samples = drawn(store, kind(bad))
    assert [sample.status for sample in samples] == [Status.COMPLETED, Status.ERRORED, Status.COMPLETED]
    assert words in samples[1].cause
    assert samples[1].usage == Usage()


def test_what_is_data_is_kept_as_plain_data(store):
    """Tuples, whole numbers and formats by their value are stored as what they stand for."""
    import numpy as np

    usage = Usage(input_tokens=np.int64(3), output_tokens=2, cost_usd=1)
    event = {"at": (1, 2), "sure": 0.5, "none": None, 3: "three"}
    subject = Whole(response(output=Answer(b"1", "text"), usage=usage, trace=[event]))
    sample = drawn(store, subject)[1]
    assert sample.output == Answer(b"1", AnswerFormat.TEXT)
    assert sample.usage == Usage(input_tokens=3, output_tokens=2, cost_usd=1.0)
    assert sample.trace == ({"at": [1, 2], "sure": 0.5, "none": None, "3": "three"},)


def test_a_negative_cost_buys_no_more_samples(store):
    """What a sample claims to have earned is not credited to the budget."""

    def answer(view, seed):
        return Response(output=Answer(b"1"), usage=Usage(cost_usd=-100.0 if view.id == "c000" else 1.0))

    samples = drawn(store, FunctionSubject("f", answer), Budget(cost_usd=1.5))
    assert sum(sample.usage.cost_usd or 0.0 for sample in samples) == 1.0


def test_a_ceiling_that_is_no_number_is_refused(store):
    """A subject that says its samples cost less than nothing would never meet a budget."""
    subject = plain(lambda: "1")
    subject.ceiling = lambda view: Usage(cost_usd=float("nan"))
    with pytest.raises(UsageError, match="f: its ceiling's usage has a cost_usd of nan"):
        drawn(store, subject, Budget(cost_usd=1.0))


def test_an_exit_in_a_task_of_its_own_leaves_the_loop_to_the_others(store):
    """A subject's background task that exits ends neither the loop nor the samples that wait on it."""

    async def leave():
        raise SystemExit(1)

    async def answer(view, seed):
        task = asyncio.ensure_future(leave())
        await asyncio.wait([task])
        return "1" if isinstance(task.exception(), SystemExit) else "0"

    assert all(sample.verdict.passed for sample in drawn(store, FunctionSubject("f", answer)))


def test_ctrl_c_of_the_user_is_not_the_subjects():
    """On the main thread, where signals strike, an interruption goes on to whoever asked."""
    case = list(coin_suite(2))[1]
    drawer = Drawer(1, plain(raises(KeyboardInterrupt())), ExactGrading())
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        drawer.draw(Work(0, case, 0))
