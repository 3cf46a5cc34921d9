import contextlib
import json
import time
from types import SimpleNamespace

import pytest

from passband.records import Usage
from passband.subject import CaseView, SubjectFault, load_subject
from passband.subject.chat import body, client
from passband.subject.chat.body import EndlessReplyError, read_lines, read_whole
from passband.subject.chat.openai_chat import OpenAIChat

from .scripted import Reply, Scripted, chat, messages, responses, sse

VIEW = CaseView(id="c", inputs={"question": "What is 2 + 2?"}, workspace={})


class Pieces:
    """A reply that comes in these pieces."""

    def __init__(self, *pieces):
        self._pieces = pieces

    def iter_bytes(self):
        return iter(self._pieces)


def ask(server, **settings):
    """Ask the scripted server once, and give it one attempt."""
    return load_subject(f"chat:m@{server.url}", settings={"attempts": "1", **settings}).sample(VIEW, 5)


def with_tokens(make, value):
    """A whole reply in a dialect whose count of output tokens is `value`."""
    return json.loads(json.dumps(make("4")).replace(" 7}", f" {json.dumps(value)}}}"))


@pytest.mark.parametrize(("api", "make"), [("chat", chat), ("responses", responses), ("messages", messages)])
@pytest.mark.parametrize("value", [-7, 1e300, "7", True, [7], {"n": 7}, 2.5, 2**60])
def test_tokens_that_are_no_number_of_tokens_are_no_reply(api, make, value):
    """Budgets rest on what a server says it used: what can't be is a fault, and never a credit."""
    with Scripted(lambda *_: with_tokens(make, value)) as server, pytest.raises(SubjectFault) as caught:
        ask(server, api=api)
    assert "output_tokens" in str(caught.value) or "the reply is not what the API says" in str(caught.value)
    assert caught.value.usage == Usage()


def test_a_whole_number_with_a_point_is_a_number_of_tokens():
    """Some servers count in floats."""
    with Scripted(lambda *_: with_tokens(chat, 7.0)) as server:
        assert ask(server).usage == Usage(input_tokens=11, output_tokens=7)


@pytest.mark.parametrize(
    "body",
    [
        chat([1, 2]),
        chat({"a": 1}),
        chat(7),
        chat("4", model=7),
        {**chat("4"), "usage": 3},
        {**chat("4"), "choices": {}},
        {**chat("4"), "choices": [{"finish_reason": ["stop"], "message": {}}]},
        [],
        "text",
        None,
        7,
    ],
)
def test_whatever_a_server_sends_is_an_answer_or_a_fault(body):
    """A reply of any shape ends in one line about it, and not in an error of ours."""
    with Scripted(lambda *_: Reply(body)) as server, pytest.raises(SubjectFault) as caught:
        ask(server)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
@pytest.mark.parametrize("error", [{"message": "the model\nsleeps", "code": 502}, "the model sleeps"])
def test_an_error_that_calls_itself_a_success_keeps_the_servers_words(api, error):
    """Some gateways answer HTTP 200 with an error: it is no answer, and the fault says what the server said."""
    with Scripted(lambda *_: {"error": error}) as server, pytest.raises(SubjectFault, match="sleeps"):
        ask(server, api=api)


def test_an_error_that_is_null_is_no_error():
    """Some servers write the field into every reply."""
    with Scripted(lambda *_: chat("4", error=None)) as server:
        assert ask(server).output.text == "4"


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_streamed_text_may_hold_any_end_of_line(mark):
    """Lines of a stream end where server-sent events say: what Unicode calls an end of line is text."""
    piece = {"model": "m", "choices": [{"delta": {"content": f"a{mark}b"}}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    data = sse(piece, end).decode().replace(json.dumps(mark)[1:-1], mark)  # as servers write it, without an escape
    reply = Reply(data.encode(), content_type="text/event-stream")
    with Scripted(lambda *_: reply) as server:
        assert ask(server, stream="true").output.text == f"a{mark}b"


def test_lines_end_as_events_say_however_they_are_cut():
    """LF, CR LF and CR end a line, also where a piece ends between two of them."""
    text = b"one\r\ntwo\nthree\rfour\r\n\r\nfive"
    expected = ["one", "two", "three", "four", "", "five"]
    for size in range(1, len(text) + 1):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(read_lines(Pieces(*pieces), 60.0, time.monotonic())) == expected


def test_an_endless_reply_is_given_up():
    """Neither a body without end nor one that drips for ever is waited for."""
    endless = Pieces(*[b"x" * 2**20] * 65)
    with pytest.raises(EndlessReplyError, match="longer than 64 MiB"):
        read_whole(endless, 60.0, time.monotonic())
    with pytest.raises(EndlessReplyError, match="longer than 64 MiB"):
        list(read_lines(endless, 60.0, time.monotonic()))
    with pytest.raises(EndlessReplyError, match="not whole after 5 s"):
        read_whole(Pieces(b"x", b"y"), 5.0, time.monotonic() - 6.0)


class Slow:
    """A transport whose reply begins after three seconds of a clock of its own and gives a byte a second."""

    def __init__(self, clock):
        self._clock = clock
        self.status_code, self.headers = 200, {"content-type": "application/json"}

    @contextlib.contextmanager
    def send(self, body):
        self._clock.now += 3.0
        yield self

    def iter_bytes(self):
        for _ in range(10):
            self._clock.now += 1.0
            yield b" "


def test_a_timeout_is_of_the_whole_request(monkeypatch):
    """The time counts from the sending of a request to the last byte of its reply, however often bytes come."""
    clock = SimpleNamespace(now=0.0, sleep=lambda _s: None)
    clock.monotonic = lambda: clock.now
    for module in (client, body):
        monkeypatch.setattr(module, "time", clock)
    asked = client.Client(Slow(clock), OpenAIChat(), attempts=1, concurrency=1, longest_s=5.0)
    with pytest.raises(SubjectFault, match="not whole after 5 s"):
        asked.ask({}, 1, [])
    assert clock.now == 6.0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_says_where_to(status):
    """A server that has moved is not followed; the message gives the address to use."""
    moved = Reply({"error": "moved"}, status=status, headers={"Location": "http://127.0.0.1:1/v2"})
    with Scripted(lambda *_: moved) as server, pytest.raises(SubjectFault) as caught:
        ask(server)
    assert not caught.value.retryable
    assert f"HTTP {status}: moved to http://127.0.0.1:1/v2; redirections are not followed" in str(caught.value)
