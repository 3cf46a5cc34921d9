import asyncio
import sys
import threading

import pytest

from passband.errors import UsageError
from passband.records import Answer
from passband.run import plan_harness
from passband.subject import (
    BatchFunctionSubject,
    CaseView,
    FunctionSubject,
    HarnessPart,
    Response,
    batched,
    load_subject,
)
from tests.run.doubles import ExactGrading, coin_suite

VIEW = CaseView(id="c", inputs={}, workspace={})


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module beside the user's work and give its name."""

    def write(source):
        name = f"own_{abs(hash(source))}"
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return name

    return write


@pytest.mark.parametrize("answer", ["1", b"1", Answer(b"1"), Response(output=Answer(b"1"))])
def test_what_a_function_may_return(answer):
    """Text, bytes, an answer and a whole response are all an answer."""
    assert FunctionSubject("f", lambda view, seed: answer).sample(VIEW, 0).output == Answer(b"1")


def test_anything_else_is_an_error_of_the_function():
    """A function that returns nothing is broken, and the message says what it returned."""
    with pytest.raises(TypeError, match="f returned NoneType"):
        FunctionSubject("f", lambda view, seed: None).sample(VIEW, 0)


def test_asynchronous_functions_wait_together():
    """Samples asked from several threads are under way on one event loop at once."""
    loops, here = set(), 0
    together = asyncio.Event()

    async def answer(view, seed):
        nonlocal here
        loops.add(id(asyncio.get_running_loop()))
        here += 1
        if here == 4:
            together.set()
        await asyncio.wait_for(together.wait(), 20)
        return str(seed)

    subject = FunctionSubject("f", answer)
    answers = []
    threads = [
        threading.Thread(target=lambda s=s: answers.append(subject.sample(VIEW, s).output.text)) for s in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answers) == ["0", "1", "2", "3"]
    assert len(loops) == 1


def test_what_an_asynchronous_function_raises_comes_through():
    """An exception of a coroutine reaches the caller as itself."""

    async def answer(view, seed):
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        FunctionSubject("f", answer).sample(VIEW, 0)


def test_a_batch_function_answers_in_order():
    """One call answers many questions; a single sample is a batch of one."""
    calls = []

    @batched(3)
    def answer(views, seeds):
        calls.append(len(views))
        return [str(seed) for seed in seeds]

    subject = BatchFunctionSubject("f", answer, 3)
    assert [r.output.text for r in subject.sample_batch([VIEW] * 3, [5, 6, 7])] == ["5", "6", "7"]
    assert subject.sample(VIEW, 8).output.text == "8"
    assert calls == [3, 1]


@pytest.mark.parametrize("returned", [["1"], None, "11"])
def test_a_batch_of_another_length_is_an_error(returned):
    """Too few answers, or none, are not matched to questions by guess."""
    with pytest.raises(TypeError, match="asked 2 questions"):
        BatchFunctionSubject("f", lambda views, seeds: returned, 2).sample_batch([VIEW] * 2, [1, 2])


def test_loading_by_name(module):
    """`python:module:name` finds functions, batch functions and ready subjects."""
    name = module(
        "from passband.subject import FunctionSubject, batched\n"
        "def one(view, seed): return '1'\n"
        "@batched(8)\n"
        "def many(views, seeds): return ['1'] * len(views)\n"
        "ready = FunctionSubject('mine', one)\n"
        "number = 3\n"
    )
    assert type(load_subject(f"python:{name}:one")) is FunctionSubject
    assert load_subject(f"python:{name}:many").batch_size == 8
    assert load_subject(f"python:{name}:ready").name == "mine"
    with pytest.raises(UsageError, match="not callable"):
        load_subject(f"python:{name}:number")
    with pytest.raises(UsageError, match="AttributeError"):
        load_subject(f"python:{name}:nothing")
    with pytest.raises(UsageError, match="python:module:function"):
        load_subject(f"python:{name}")


def test_the_source_is_part_of_what_a_subject_is(module):
    """Two modules with different code are different subjects, whatever they are called."""
    one, two = module("def f(view, seed): return '1'\n"), module("def f(view, seed): return '2'\n")
    first, second = load_subject(f"python:{one}:f").params, load_subject(f"python:{two}:f").params
    assert len(first["source_sha256"]) == 64
    assert first != second


def test_a_function_can_tell_the_harness_of_its_settings():
    """A function's ``harness``, or what it says of the cases at hand, is in the run's harness."""

    def answer(view, seed):
        return "1"

    grading, suite = ExactGrading(), coin_suite(3)

    def budgets():
        return plan_harness(suite, grading, FunctionSubject("f", answer)).budgets

    assert budgets() == {}
    answer.harness = HarnessPart(budgets={"turns": 6})
    assert budgets() == {"turns": 6}
    answer.harness = lambda views: HarnessPart(budgets={"cases": [view.id for view in views]})
    assert budgets() == {"cases": ["c000", "c001", "c002"]}
    answer.harness = {"turns": 6}
    with pytest.raises(UsageError, match="dict, not HarnessPart"):
        budgets()


def test_a_batch_of_one_is_none():
    """A batch size below two is refused where it is written."""
    with pytest.raises(UsageError):
        batched(1)
