import json

import pytest

from passband.records import AnswerFormat
from passband.subject import CaseView, load_subject

from .scripted import Scripted, chat, messages, responses
from .test_chat import status

BUGGY = b"def add(a, b):\n    return a - b\n"
TEST = b"from calc import add\n\ndef test_zero():\n    assert add(2, 0) == 2\n"
VIEW = CaseView(id="add", inputs={"issue": "add subtracts"}, workspace={"calc.py": BUGGY, "tests/test_calc.py": TEST})
WHOLE = {"chat": chat, "responses": responses, "messages": messages}
FIX = ("edit_file", {"path": "calc.py", "search": "a - b", "replace": "a + b"})


def work(script, api="chat", view=VIEW, **settings):
    """Let a scripted model work through its turns and return the response and the server."""
    whole = WHOLE[api]
    replies = [whole(**turn) if isinstance(turn, dict) else whole(calls=turn) for turn in script]
    with Scripted(lambda number, *_: replies[number]) as server:
        subject = load_subject(
            f"chat:m@{server.url}", settings={"mode": "agent", "api": api} | {k: str(v) for k, v in settings.items()}
        )
        return subject.sample(view, 3), server


@pytest.mark.parametrize("api", WHOLE)
def test_a_model_repairs_a_case_in_turns(api):
    """Reading, editing and submitting in any dialect gives a patch of what was edited."""
    turns = [[("read_file", {"path": "calc.py"})], [FIX], [("submit", {})]]
    response, server = work(turns, api)
    assert status(response) == "submitted"
    assert response.output.format is AnswerFormat.UNIFIED_DIFF
    assert b"+    return a + b" in response.output.payload
    assert (response.usage.input_tokens, response.usage.output_tokens) == (33, 21)
    # What the tool said reaches the model.
    assert "return a - b" in json.dumps(server.requests[1][2])
    tools = [event["name"] for event in response.trace if event["event"] == "tool"]
    assert tools == ["read_file", "edit_file", "submit"]


def test_several_calls_in_one_turn():
    """All calls of a turn are carried out in order, and none after submit."""
    response, _ = work([[FIX, ("submit", {}), ("write_file", {"path": "x", "content": "late"})]])
    assert status(response) == "submitted"
    assert b"late" not in response.output.payload


@pytest.mark.parametrize("path", ["calc.py/inner.py", "tests"])
def test_a_file_is_no_folder(path):
    """A path below a file, or a file where a folder is, is refused to the model: no tree can hold both."""
    response, _ = work([[("write_file", {"path": path, "content": "x"})], [("submit", {})]])
    (said,) = [event["result"] for event in response.trace if event.get("name") == "write_file"]
    assert said.startswith(f"error: {path!r} cannot be beside ")
    assert status(response) == "submitted"


def test_visible_tests_run_in_the_sandbox():
    """The model reads what the visible tests say, before its edit and after."""
    broken = CaseView(
        id="add", inputs=VIEW.inputs, workspace=VIEW.workspace | {"calc.py": b"def add(a, b):\n    return 1\n"}
    )
    fix = ("write_file", {"path": "calc.py", "content": "def add(a, b):\n    return a + b\n"})
    response, _ = work([[("run_tests", {})], [fix, ("run_tests", {})], [("submit", {})]], view=broken)
    said = [event["result"] for event in response.trace if event.get("name") == "run_tests"]
    assert "1 failed" in said[0]
    assert "1 passed" in said[1]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (("read_file", {"path": "nowhere.py"}), "there is no file 'nowhere.py'"),
        (("edit_file", {"path": "calc.py", "search": "zzz", "replace": ""}), "0 times"),
        (("edit_file", {"path": "calc.py", "search": "a", "replace": ""}), "times, not once"),
        (("edit_file", {"path": "calc.py", "search": "", "replace": ""}), "0 times"),
        (("write_file", {"path": "../x", "content": ""}), "no path within"),
        (("write_file", {"path": "/etc/x", "content": ""}), "no path within"),
        (("write_file", {"path": ".git/config", "content": ""}), "no path within"),
        (("write_file", {"path": "a//b", "content": ""}), "no path within"),
        (("write_file", {"path": "a\tb", "content": ""}), "no path within"),
        (("write_file", {"path": "x" * 3000, "content": ""}), "no path within"),
        (("read_file", {}), "needs path"),
        (("read_file", {"path": 3}), "needs path"),
        (("read_file", {"path": "calc.py", "more": ""}), "takes no 'more'"),
        (("read_file", [1]), "not an object"),
        (("shell", {"command": "ls"}), "there is no tool 'shell'"),
    ],
)
def test_whatever_a_model_asks_for_there_is_an_answer(call, word):
    """A call that cannot be carried out is answered with the reason, and the conversation goes on."""
    response, _ = work([[call], [("submit", {})]])
    assert status(response) == "submitted"
    said = next(event["result"] for event in response.trace if event["event"] == "tool")
    assert word in said
    assert response.output.payload == b""


def test_turns_are_a_budget():
    """A model that never submits is graded on what it left when its turns were spent."""
    response, server = work([[FIX], [("read_file", {"path": "calc.py"})], [("submit", {})]], turns=2)
    assert status(response) == "turns_spent"
    assert b"+    return a + b" in response.output.payload
    assert len(server.requests) == 2


def test_tokens_are_a_budget():
    """A turn that might exceed the tokens left is not begun."""
    turns = [{"calls": [FIX], "usage": (5000, 4000)}, [("submit", {})]]
    response, server = work(turns, token_budget=14_000, max_tokens=4096)
    assert status(response) == "tokens_spent"
    assert len(server.requests) == 1
    assert response.usage.input_tokens + response.usage.output_tokens <= 14_000


def test_a_turn_without_a_call_ends_the_work():
    """A model that only talks has nothing more to do: what it left is its answer."""
    response, _ = work([[FIX], {"text": "Done."}])
    assert status(response) == "answered"
    assert b"+    return a + b" in response.output.payload
