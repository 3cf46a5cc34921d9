import email.utils
import json
import time

import pytest

from passband.errors import UnknownNameError, UsageError
from passband.records import Usage
from passband.subject import CaseView, SubjectFault, load_subject
from passband.subject.chat.limits import AdaptiveLimit, TokenBucket

from .scripted import Reply, Scripted, chat, messages, responses, sse

VIEW = CaseView(id="c", inputs={"question": "What is 2 + 2?"}, workspace={})
CODE = CaseView(
    id="add", inputs={"issue": "add subtracts"}, workspace={"calc.py": b"def add(a, b):\n    return a - b\n"}
)


def ask(server, view=VIEW, seed=5, **settings):
    """Ask the scripted server once."""
    subject = load_subject(f"chat:m@{server.url}", settings={k: str(v) for k, v in settings.items()})
    return subject.sample(view, seed)


def status(response):
    """How the conversation ended."""
    assert response.trace[-1]["event"] == "end"
    return response.trace[-1]["status"]


WHOLE = {"chat": chat, "responses": responses, "messages": messages}


@pytest.mark.parametrize("api", WHOLE)
def test_each_dialect_asks_and_is_answered(api, monkeypatch):
    """A question goes out in the dialect with the key in a header; the answer comes back with its usage."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    with Scripted(lambda *_: WHOLE[api]("4")) as server:
        response = ask(server, api=api, temperature=0.5, max_tokens=77)
    assert response.output.text == "4"
    assert status(response) == "answered"
    assert response.usage == Usage(input_tokens=11, output_tokens=7)
    ((path, headers, body),) = server.requests
    assert path == {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}[api]
    assert "sk-secret" in str(headers)
    assert "sk-secret" not in str(response)
    assert body["model"] == "m"
    assert body["temperature"] == 0.5
    assert 77 in body.values()
    assert "2 + 2" in json.dumps(body)
    assert body.get("seed") == (5 if api == "chat" else None)


@pytest.mark.parametrize("api", WHOLE)
@pytest.mark.parametrize("left", [(), ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")])
def test_tokens_that_nobody_counted_are_reckoned_at_the_most(api, left, tmp_path):
    """A server that leaves out what it used costs the budget the most it can have used; its price is not known."""
    reply = WHOLE[api]("4")
    reply["usage"] = {name: count for name, count in reply["usage"].items() if left and name not in left}
    table = tmp_path / "prices.toml"
    table.write_text('["*"]\ninput = 1\noutput = 1\n')
    with Scripted(lambda *_: reply) as server:
        settings = {"api": api, "max_tokens": "77", "prices": str(table)}
        subject = load_subject(f"chat:m@{server.url}", settings=settings)
        response = subject.sample(VIEW, 5)
        most = subject.ceiling(VIEW)
    used = response.usage
    assert (used.input_tokens, used.output_tokens, used.cost_usd) == (most.input_tokens, 77, None)
    assert response.trace[0]["tokens"] == "not reported: reckoned at the most"


def test_one_turn_that_nobody_counted_leaves_the_price_of_all_unknown(tmp_path):
    """An agent's tokens are summed over its turns, the reckoned ones among them."""
    table = tmp_path / "prices.toml"
    table.write_text('["*"]\ninput = 1\noutput = 1\n')
    turns = [chat(calls=[("read_file", {"path": "a.txt"})]), {**chat("done"), "usage": None}]
    view = CaseView(id="c", inputs={"issue": "mend it"}, workspace={"a.txt": b"one\n"})
    with Scripted(lambda number, *_: turns[number]) as server:
        used = ask(server, view, mode="agent", max_tokens=77, prices=table).usage
    assert used.output_tokens == 7 + 77
    assert used.input_tokens > 11
    assert used.cost_usd is None


def test_logprobs_are_summed():
    """Log-probabilities that were asked for come into the trace as a sum and a count."""
    reply = chat("4")
    reply["choices"][0]["logprobs"] = {"content": [{"token": "4", "logprob": -0.5}, {"token": "", "logprob": -0.25}]}
    with Scripted(lambda *_: reply) as server:
        response = ask(server, logprobs=True)
    assert server.requests[0][2]["logprobs"] is True
    assert (response.trace[0]["logprob"], response.trace[0]["tokens_scored"]) == (-0.75, 2)


def delta(**more):
    """Make a piece of a stream."""
    return {"choices": [{"index": 0, "delta": more.pop("delta", {}), **more}]}


STREAMS = {
    "chat": sse(
        delta(delta={"content": "fo"}),
        delta(delta={"content": "ur"}),
        delta(finish_reason="stop"),
        {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}},
    ),
    "responses": sse(
        ("response.output_text.delta", {"type": "response.output_text.delta", "delta": "four"}),
        ("response.completed", {"type": "response.completed", "response": responses("four")}),
        end=False,
    ),
    "messages": sse(
        ("message_start", {"type": "message_start", "message": messages() | {"stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "fo"}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "ur"}}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
        ("message_stop", {"type": "message_stop"}),
        end=False,
    ),
}


@pytest.mark.parametrize("api", STREAMS)
def test_streams_are_put_together(api):
    """A streamed reply is the same answer with the same usage."""
    with Scripted(lambda *_: Reply(STREAMS[api])) as server:
        response = ask(server, api=api, stream=True)
    assert response.output.text == "four"
    assert response.usage == Usage(input_tokens=11, output_tokens=7)
    assert server.requests[0][2]["stream"] is True


@pytest.mark.parametrize("api", STREAMS)
def test_a_stream_cut_anywhere_is_no_answer(api):
    """Wherever a stream ends before its end, by closing or in good order, the request is sent again."""
    whole = STREAMS[api]
    # Before the last event is whole; the very last newline alone is not missed.
    places = range(0, len(whole) - 2, max(1, len(whole) // 12))
    for place in places:
        for reply in (Reply(whole[:place], content_type="text/event-stream"), Reply(whole, cut=place)):
            with Scripted(lambda number, *_, reply=reply: Reply(whole) if number else reply) as server:
                response = ask(server, api=api, stream=True)
            assert response.output.text == "four"
            assert len(response.faults) == 1, place
            assert len(server.requests) == 2


BROKEN = {
    "503": Reply({"error": "overloaded"}, status=503),
    "500": Reply(b"<html>", status=500, content_type="text/html"),
    "429 with a wait": Reply({}, status=429, headers={"Retry-After": "0.2"}),
    "529": Reply({}, status=529),
    "malformed JSON": Reply(b'{"choices": [', content_type="application/json"),
    "wrong content type": Reply(b"<html>hello</html>", content_type="text/html"),
    "no finish_reason": Reply({"choices": [{"message": {"content": "4"}, "finish_reason": None}]}),
    "no choices": Reply({"choices": []}),
    "a list": Reply([1, 2]),
    "null": Reply(None),
    "a string for a choice": Reply({"choices": ["4"]}),
    "cut body": Reply(chat("4"), cut=30),
    "reset": Reply({}, reset=True),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_whole_is_asked_for_again(name):
    """Every way for a reply to be broken costs one attempt with its cause stored, and the answer is counted once."""
    with Scripted(lambda number, *_: chat("4") if number else BROKEN[name]) as server:
        response = ask(server)
    assert response.output.text == "4"
    assert len(response.faults) == 1
    assert len(server.requests) == 2
    assert response.usage == Usage(input_tokens=11, output_tokens=7)


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date"])
def test_retry_after_is_honoured(form):
    """The wait a server asks for is the wait it gets, in any of its forms."""
    header = {
        "seconds": {"Retry-After": "1"},
        "milliseconds": {"retry-after-ms": "1000"},
        "date": {"Retry-After": email.utils.formatdate(time.time() + 3, usegmt=True)},
    }[form]
    times = []

    def script(number, *_):
        times.append(time.monotonic())
        return chat("4") if number else Reply({}, status=429, headers=header)

    with Scripted(script) as server:
        ask(server)
    assert 0.95 <= times[1] - times[0] < 10


def test_a_wait_that_is_too_long_is_a_fault():
    """A server that asks to come back tomorrow is not waited for."""
    with (
        Scripted(lambda *_: Reply({}, status=429, headers={"Retry-After": "86400"})) as server,
        pytest.raises(SubjectFault, match="asks to wait 86400 s") as caught,
    ):
        ask(server)
    assert caught.value.retryable
    assert len(server.requests) == 1


def test_a_server_that_has_answered_before_may_come_back():
    """Once a server has answered, its silence is a fault of the sample and not of the run."""
    with Scripted(lambda number, *_: Reply({}, reset=True) if number else chat("4")) as server:
        subject = load_subject(f"chat:m@{server.url}", settings={"attempts": "2"})
        subject.sample(VIEW, 0)
        with pytest.raises(SubjectFault) as caught:
            subject.sample(VIEW, 1)
    assert caught.value.retryable


def test_the_last_attempt_is_the_last():
    """After as many attempts as are allowed the sample is a fault that carries every cause."""
    with (
        Scripted(lambda *_: Reply({}, status=503, headers={"Retry-After": "0"})) as server,
        pytest.raises(SubjectFault, match="HTTP 503") as caught,
    ):
        ask(server, attempts=4)
    assert len(server.requests) == 4
    assert len(caught.value.faults) == 3


def test_a_slow_server_times_out_and_is_asked_again():
    """A reply that does not come in time costs an attempt."""
    with Scripted(lambda number, *_: Reply(chat("4"), delay=0 if number else 3)) as server:
        response = ask(server, timeout_s=0.5)
    assert response.output.text == "4"
    assert "timed out" in response.faults[0].detail


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": {"message": "bad key"}}, status=401),
        Reply({"error": {"message": "not yours"}}, status=403),
        Reply({"error": {"message": "no such model"}}, status=404),
        Reply({"error": {"message": "temperature must be below 2"}}, status=400),
        Reply({"error": {"code": "insufficient_quota"}}, status=429),
        Reply({}, status=307, headers={"Location": "http://127.0.0.1:1/"}),
    ],
)
def test_what_no_attempt_can_mend_is_asked_once(reply):
    """A refused key, a bad request or an empty account stop the run at the first request."""
    with Scripted(lambda *_: reply) as server, pytest.raises(SubjectFault) as caught:
        ask(server)
    assert not caught.value.retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (chat("the beginning of", finish="length"), "truncated"),
        (chat("I can't", finish="content_filter"), "refused"),
        (
            Reply({"error": {"code": "context_length_exceeded", "message": "too long"}}, status=400),
            "context_exceeded",
        ),
    ],
)
def test_what_is_no_answer_is_a_status(reply, word):
    """A truncated or refused answer, or a context outgrown, ends the sample with that status and nothing to grade."""
    with Scripted(lambda *_: reply) as server:
        response = ask(server)
    assert status(response) == word
    assert response.output.payload == b""


def test_prices_come_from_the_users_table(tmp_path):
    """Cost is tokens times the first price whose name fits; without a price it is unknown, never zero."""
    table = tmp_path / "prices.toml"
    table.write_text('["m"]\ninput = 2.0\noutput = 10.0\n["*"]\ninput = 1\noutput = 1\n')
    with Scripted(lambda *_: chat("4", usage=(1000, 100))) as server:
        assert ask(server, prices=table).usage.cost_usd == pytest.approx(1000 * 2e-6 + 100 * 10e-6)
        assert ask(server).usage.cost_usd is None
        table.write_text('["other"]\ninput = 1\noutput = 1\n')
        assert ask(server, prices=table).usage.cost_usd is None
        for text in ("[m\n", '["m"]\ninput = 1\n', '["m"]\ninput = -1\noutput = 1\n', '["m"]\nx = 1\n'):
            table.write_text(text)
            with pytest.raises(UsageError, match=str(table)):
                ask(server, prices=table)


def test_a_ceiling_is_never_exceeded(tmp_path):
    """The most a sample can use bounds what it asks for: prompt bytes and max_tokens, at the user's price."""
    table = tmp_path / "prices.toml"
    table.write_text('["m"]\ninput = 1.0\noutput = 1.0\n')
    subject = load_subject("chat:m@http://127.0.0.1:1", settings={"max_tokens": "10", "prices": str(table)})
    most = subject.ceiling(VIEW)
    assert most.output_tokens == 10
    assert most.input_tokens >= len("What is 2 + 2?")
    assert most.cost_usd == pytest.approx((most.input_tokens + 10) / 1e6)


def test_templates_are_files_with_a_hash(tmp_path):
    """A prompt is a file: its holes are filled from the case, its hash is in the harness, a wrong hole is an error."""
    path = tmp_path / "prompt.md"
    path.write_text("Be brief.\n---\nQ{{ id }}: {{inputs.question}}\n")
    with Scripted(lambda *_: chat("4")) as server:
        subject = load_subject(f"chat:m@{server.url}", settings={"template": str(path), "mode": "answer"})
        subject.sample(VIEW, 1)
        assert server.requests[0][2]["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Qc: What is 2 + 2?"},
        ]
        before = subject.harness
        path.write_text("{{ inputs.other }}")
        subject = load_subject(f"chat:m@{server.url}", settings={"template": str(path), "mode": "answer"})
        assert subject.harness.prompt_template != before.prompt_template
        with pytest.raises(UsageError, match="case c has no input 'other'"):
            subject.sample(VIEW, 1)
        path.write_text("{{ reference }}")
        with pytest.raises(UsageError, match="reference"):
            load_subject(f"chat:m@{server.url}", settings={"template": str(path)})


def test_what_is_in_a_prompt_is_not_a_template():
    """Braces in a case's own text are text."""
    view = CaseView(id="c", inputs={"question": "{{ id }} {{ inputs.question }}"}, workspace={})
    with Scripted(lambda *_: chat("4")) as server:
        ask(server, view)
    assert "{{ id }} {{ inputs.question }}" in server.requests[0][2]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("spec", "settings", "error"),
    [
        ("chat:m", {}, UsageError),
        ("chat:m@localhost:8000", {}, UsageError),
        ("chat:m@http://", {}, UsageError),
        ("chat:m@http://[::1", {}, UsageError),
        ("chat:m@http://a:port/v1", {}, UsageError),
        ("chat:m@http://127.0.0.1:1", {"temprature": "1"}, UnknownNameError),
        ("chat:m@http://127.0.0.1:1", {"temperature": "warm"}, UsageError),
        ("chat:m@http://127.0.0.1:1", {"api": "smoke"}, UsageError),
        ("chat:m@http://127.0.0.1:1", {"turns": "0"}, UsageError),
        ("chat:m@http://127.0.0.1:1", {"key_env": "NO_SUCH_KEY"}, UsageError),
        ("chat:m@http://127.0.0.1:1", {"template": "/nowhere"}, UsageError),
        ("mutator", {"temperature": "1"}, UsageError),
    ],
)
def test_mistakes_are_one_clear_error(spec, settings, error):
    """A wrong address, an unknown setting, a value of the wrong kind: refused before anything is asked."""
    with pytest.raises(error):
        load_subject(spec, settings=settings)


def test_nobody_there_is_a_fault():
    """A server that nobody has ever reached stops the run: its address is wrong."""
    subject = load_subject("chat:m@http://127.0.0.1:1/v1", settings={"attempts": "1"})
    with pytest.raises(SubjectFault, match="connection failed") as caught:
        subject.sample(VIEW, 0)
    assert not caught.value.retryable


def test_a_bucket_lets_through_what_it_holds():
    """A bucket of 60 a minute lets 60 through at once, then one a second; a debt is waited off."""
    now, waits = [0.0], []

    def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds

    bucket = TokenBucket(60, clock=lambda: now[0], sleep=sleep)
    for _ in range(60):
        bucket.take()
    assert not waits
    bucket.take()
    assert sum(waits) == pytest.approx(0, abs=0.01)
    bucket.take()
    assert sum(waits) == pytest.approx(1, abs=0.01)
    bucket.charge(30)
    bucket.take()
    assert sum(waits) == pytest.approx(32, abs=0.01)


def test_refusals_lower_the_limit_and_answers_raise_it():
    """A refusal halves the limit, once for all that were under way; successes raise it one by one."""
    limit = AdaptiveLimit(16)
    with limit.slot() as one, limit.slot() as two:
        limit.refused(one)
        limit.refused(two)
    assert limit.limit == 8
    with limit.slot() as later:
        limit.refused(later)
    assert limit.limit == 4
    for _ in range(5):
        limit.accepted()
    assert limit.limit == 5
    for _ in range(1000):
        limit.accepted()
    assert limit.limit == 16
