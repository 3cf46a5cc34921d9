import importlib.util
import sys

import pytest

from passband.errors import UsageError
from passband.records import Usage
from passband.subject import SubjectFault, load_subject
from passband.subject.chat.transport import SDKS
from passband.subject.traffic import ResponseStore

from .scripted import Reply, Scripted, chat
from .test_chat import BROKEN, STREAMS, VIEW, WHOLE

# The first two are always there; LiteLLM, which is large, where somebody has put it.
DIALECTS = [
    (sdk, api) for sdk, apis in SDKS.items() if sdk != "litellm" or importlib.util.find_spec("litellm") for api in apis
]
NAMES = {"openai": "m", "anthropic": "m", "litellm": "openai/m"}


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    """Give every SDK a key."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")


def load(server, sdk, api, traffic=None, **settings):
    """Make a subject that asks the scripted server through an SDK."""
    given = {"sdk": sdk, "api": api} | {name: str(value) for name, value in settings.items()}
    return load_subject(f"chat:{NAMES[sdk]}@{server.url}", settings=given, traffic=traffic)


@pytest.mark.parametrize(("sdk", "api"), DIALECTS)
def test_an_sdk_asks_what_we_ask(sdk, api):
    """Through an SDK the same request reaches the same path with the key, and the same answer comes back."""
    with Scripted(lambda *_: WHOLE[api]("4")) as server:
        through = load(server, sdk, api, temperature=0.5).sample(VIEW, 5)
        ours = load_subject(f"chat:m@{server.url}", settings={"api": api, "temperature": "0.5"}).sample(VIEW, 5)
    assert through.output == ours.output
    assert through.usage == ours.usage == Usage(input_tokens=11, output_tokens=7)
    (path, headers, body), (our_path, _, our_body) = server.requests
    assert path == our_path
    assert "sk-secret" in str(headers)
    assert our_body.items() <= body.items()


@pytest.mark.parametrize(("sdk", "api"), DIALECTS)
def test_a_stream_is_put_together_and_a_cut_one_asked_for_again(sdk, api):
    """A stream that ends before its end is no answer, though an SDK may take it for one."""
    whole = STREAMS[api]
    reply = Reply(whole[: len(whole) // 2], content_type="text/event-stream")
    with Scripted(lambda number, *_: Reply(whole) if number else reply) as server:
        response = load(server, sdk, api, stream=True).sample(VIEW, 5)
    assert response.output.text == "four"
    assert [len(response.faults), len(server.requests)] == [1, 2]


# LiteLLM puts a reason for its end into a reply that has none, which the how-to says, and follows redirections.
@pytest.mark.parametrize(
    ("sdk", "api", "name"),
    [(*d, name) for d in DIALECTS for name in BROKEN if (d[0], name) != ("litellm", "no finish_reason")],
)
def test_no_sdk_retries_behind_our_back(sdk, api, name):
    """Every broken reply costs one request and is stored as one cause; the answer is counted once."""
    with Scripted(lambda number, *_: WHOLE[api]("4") if number else BROKEN[name]) as server:
        response = load(server, sdk, api).sample(VIEW, 5)
    assert response.output.text == "4"
    assert [len(response.faults), len(server.requests)] == [1, 2]


@pytest.mark.parametrize(
    ("sdk", "api", "status_code"),
    [(*d, code) for d in DIALECTS for code in (400, 401, 403, 404, 307) if (d[0], code) != ("litellm", 307)],
)
def test_what_no_attempt_can_mend_is_asked_once(sdk, api, status_code):
    """A refused key or a bad request stops the run at the first request."""
    reply = Reply({"error": {"message": "no"}}, status=status_code, headers={"Location": "http://127.0.0.1:1/"})
    with Scripted(lambda *_: reply) as server, pytest.raises(SubjectFault, match=f"HTTP {status_code}") as caught:
        load(server, sdk, api).sample(VIEW, 5)
    assert not caught.value.retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize(("sdk", "api"), DIALECTS)
def test_the_servers_wait_and_its_silence_are_ours_to_handle(sdk, api):
    """A wait that is too long is a fault, and so is a reply that does not come in time."""
    slow = Reply({}, status=429, headers={"Retry-After": "86400"})
    with Scripted(lambda *_: slow) as server, pytest.raises(SubjectFault, match="asks to wait 86400 s"):
        load(server, sdk, api).sample(VIEW, 5)
    with Scripted(lambda number, *_: Reply(WHOLE[api]("4"), delay=0 if number else 3)) as server:
        response = load(server, sdk, api, timeout_s=0.5).sample(VIEW, 5)
    assert response.output.text == "4"
    assert response.faults


@pytest.mark.parametrize(("sdk", "api"), DIALECTS)
def test_what_went_through_an_sdk_replays(sdk, api, tmp_path):
    """A recording made through an SDK gives the same answer without a server."""
    with Scripted(lambda *_: WHOLE[api]("4")) as server, ResponseStore(tmp_path / "r.db") as traffic:
        first = load(server, sdk, api, traffic).sample(VIEW, 5)
    with ResponseStore(tmp_path / "r.db", replay=True) as traffic:
        assert load(server, sdk, api, traffic).sample(VIEW, 5) == first
    assert len(server.requests) == 1


def test_the_address_may_be_the_sdks_own(monkeypatch):
    """Without an address the SDK's is used, from wherever it takes it."""
    with Scripted(lambda *_: chat("4")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        subject = load_subject("chat:vendor/m@2026", settings={"sdk": "openai"})
        assert subject.sample(VIEW, 5).output.text == "4"
    assert subject.name == "chat:vendor/m@2026"
    assert server.requests[0][2]["model"] == "vendor/m@2026"


def test_the_sdk_is_part_of_what_defines_the_subject():
    """A run through an SDK has another name than one through our own client, whose name is what it was."""
    ours = load_subject("chat:m@http://127.0.0.1:1/v1")
    theirs = load_subject("chat:m@http://127.0.0.1:1/v1", settings={"sdk": "openai"})
    assert "sdk" not in ours.params
    assert theirs.params == {**ours.params, "sdk": "openai"}


def test_mistakes_are_one_clear_error(monkeypatch):
    """A dialect that an SDK does not speak, a missing key, a missing package: each is said before anything is asked."""
    with pytest.raises(UsageError, match="add --set api=messages"):
        load_subject("chat:m", settings={"sdk": "anthropic"})
    with pytest.raises(UsageError, match="of the form chat:MODEL@BASE_URL"):
        load_subject("chat:m")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        load_subject("chat:m", settings={"sdk": "openai"})
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(SubjectFault, match="ANTHROPIC_API_KEY|auth") as caught:
        load_subject("chat:m", settings={"sdk": "anthropic", "api": "messages"}).sample(VIEW, 0)
    assert not caught.value.retryable
    monkeypatch.setitem(sys.modules, "litellm", None)  # as if it were not installed
    with pytest.raises(UsageError, match=r"pip install 'passband\[litellm\]'"):
        load_subject("chat:m", settings={"sdk": "litellm"})
