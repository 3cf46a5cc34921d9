import contextlib
import http.client
import json
import random
import sqlite3
import threading
from urllib.parse import urlsplit

import pytest

from passband.errors import DataError, StoreError, UsageError
from passband.run import Store, execute, make_header
from passband.subject import SubjectFault, load_subject
from passband.subject.traffic import Episode, RecordingProxy, ResponseStore
from tests.run.doubles import ExactGrading, coin_suite
from tests.run.store.places import read_only

from .scripted import Reply, Scripted, chat, sse


def post(url, path, body):
    """Send a request and return (status, content type, body); a body cut short raises."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    try:
        connection.request("POST", f"{parts.path}{path}", json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type"), response.read()
    finally:
        connection.close()


def counting():
    """Make a script that answers a different number each time."""
    return lambda number, *_: chat(str(number))


def test_keys_tell_samples_and_repeats_apart(tmp_path):
    """Another case, seed, request or repeat is another key; the order of JSON fields is not."""
    with ResponseStore(tmp_path / "r.db") as store:

        def keys(case, seed, *contents):
            episode = Episode(store, case, seed)
            return [episode.key("POST", "/x", content) for content in contents]

        one = keys("c", 1, b'{"a": 1, "b": 2}')
        assert keys("c", 1, b'{"b":2,"a":1}') == one
        repeated = keys("c", 1, b'{"a": 1, "b": 2}', b'{"a": 1, "b": 2}', b"other")
        different = {*repeated, *keys("c", 2, b'{"a": 1, "b": 2}'), *keys("d", 1, b'{"a": 1, "b": 2}')}
        assert len(different) == 5
        assert repeated[0] == one[0]


def test_bodies_are_stored_once(tmp_path):
    """Equal bodies under different keys share their bytes."""
    with ResponseStore(tmp_path / "r.db") as store:
        for key in ("a", "b", "c"):
            store.put(key, "text/plain", b"the same")
        assert len(store) == 3
        assert store.get("b") == ("text/plain", b"the same")
        assert store._db.execute("SELECT count(*) FROM bodies").fetchone() == (1,)


def test_other_files_are_refused(tmp_path):
    """A file of another kind is no recording, and a replay needs one."""
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE t (x)")
    db.close()
    with pytest.raises(StoreError, match="not a recording"):
        ResponseStore(other)
    with pytest.raises(StoreError, match="no such recording"):
        ResponseStore(tmp_path / "none.db", replay=True)


@pytest.mark.parametrize("spec", ["mutator", "python:module:function"])
def test_a_subject_without_traffic_is_not_recorded(tmp_path, spec):
    """A recording that would stay empty is refused."""
    with ResponseStore(tmp_path / "r.db") as traffic, pytest.raises(UsageError, match="has no model traffic"):
        load_subject(spec, traffic=traffic)


def draw(store, url, traffic, n=3):
    """Run a chat subject over three coins; return (index, seed, output, verdict) of every sample."""
    suite, grading = coin_suite(3), ExactGrading()
    subject = load_subject(f"chat:m@{url}", traffic=traffic)
    header = make_header(suite, subject, grading, samples_per_case=n, seed=1, created_at=0.0)
    store.add_run(header)
    execute(header, suite, subject, grading, store, workers=4, on_progress=lambda _: None)
    return header.run_id, [(c, s.index, s.seed, s.output, s.verdict, s.usage) for c, s in store.samples(header.run_id)]


def test_a_replayed_run_is_the_run(tmp_path):
    """Replayed without a network, a run has its samples again, repeats distinct, under the same id."""
    with Scripted(counting()) as server:
        with Store(tmp_path / "a.db", create=True) as store, ResponseStore(tmp_path / "r.db") as traffic:
            live = draw(store, server.url, traffic)
        url = server.url
    assert len({sample[3] for sample in live[1]}) == 9
    with Store(tmp_path / "b.db", create=True) as store, ResponseStore(tmp_path / "r.db", replay=True) as traffic:
        assert draw(store, url, traffic) == live


def test_a_replay_does_not_invent(tmp_path):
    """What was not recorded is an error that no attempt can mend."""
    ResponseStore(tmp_path / "r.db").close()
    with ResponseStore(tmp_path / "r.db", replay=True) as traffic:
        subject = load_subject("chat:m@http://127.0.0.1:1/v1", traffic=traffic)
        with pytest.raises(SubjectFault, match="holds no response") as caught:
            subject.sample(coin_view(), 0)
    assert not caught.value.retryable


def coin_view():
    """Make a view of a coin."""
    from passband.subject import view_of

    return view_of(next(iter(coin_suite(1))))


def test_a_proxy_forwards_records_and_replays(tmp_path):
    """What goes through the proxy arrives, comes back, and comes back again without the server."""
    with (
        Scripted(counting()) as server,
        ResponseStore(tmp_path / "r.db") as store,
        RecordingProxy(server.url, store) as proxy,
    ):
        one, two = proxy.episode_url("a/b c", 1), proxy.episode_url("a/b c", 2)
        live = [post(url, "/chat/completions", {"q": 1}) for url in (one, one, two)]
        assert [path for path, *_ in server.requests] == ["/v1/chat/completions"] * 3
    assert len({body for *_, body in live}) == 3
    with ResponseStore(tmp_path / "r.db", replay=True) as store, RecordingProxy(server.url, store) as proxy:
        one, two = proxy.episode_url("a/b c", 1), proxy.episode_url("a/b c", 2)
        assert [post(url, "/chat/completions", {"q": 1}) for url in (one, one, two)] == live
        status, _, said = post(one, "/chat/completions", {"q": 2})
        assert status >= 500
        assert b"holds no response" in said
        proxy.end_episode("a/b c", 1)
        assert post(one, "/chat/completions", {"q": 1})[0] == 404


def test_a_proxy_records_whole_successes_alone(tmp_path):
    """A refusal, a cut stream and a dead upstream are passed on as they are and never recorded."""
    whole = sse({"choices": []}, {"choices": []})
    replies = [Reply({}, status=429), Reply(whole, cut=20), Reply(whole, content_type="text/event-stream")]
    with ResponseStore(tmp_path / "r.db") as store:
        with Scripted(lambda number, *_: replies[number]) as server, RecordingProxy(server.url, store) as proxy:
            url = proxy.episode_url("c", 1)
            assert post(url, "/x", {})[0] == 429
            with pytest.raises((http.client.IncompleteRead, ConnectionError)):
                post(url, "/x", {})
            assert len(store) == 0
            assert post(url, "/x", {}) == (200, "text/event-stream", whole)
            assert store._db.execute("SELECT count(*) FROM bodies").fetchone() == (1,)
        with RecordingProxy(server.url, store) as proxy:
            before = len(store)
            assert post(proxy.episode_url("c", 1), "/x", {})[0] == 502
            assert len(store) == before


def test_a_proxy_serves_many_at_once(tmp_path):
    """Requests of several samples are under way together."""
    barrier = threading.Barrier(4, timeout=20)

    def script(number, *_):
        barrier.wait()
        return chat(str(number))

    with (
        Scripted(script) as server,
        ResponseStore(tmp_path / "r.db") as store,
        RecordingProxy(server.url, store) as proxy,
    ):
        found = []
        threads = [
            threading.Thread(target=lambda s=s: found.append(post(proxy.episode_url("c", s), "/x", {})[0]))
            for s in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert found == [200] * 4


def test_a_proxy_needs_an_address(tmp_path):
    """An upstream that is no URL is refused at once."""
    with ResponseStore(tmp_path / "r.db") as store, pytest.raises(UsageError):
        RecordingProxy("localhost:80", store)


def test_an_agent_that_sends_its_session_is_replayed_by_order(tmp_path):
    """A request whose content has moved is answered as the request in its place was."""
    with (
        Scripted(counting()) as server,
        ResponseStore(tmp_path / "r.db") as store,
        RecordingProxy(server.url, store) as proxy,
    ):
        url = proxy.episode_url("c", 1)
        live = [post(url, "/x", {"session": "one", "q": q}) for q in (1, 2)]
    with ResponseStore(tmp_path / "r.db", replay=True) as store, RecordingProxy(server.url, store) as proxy:
        url = proxy.episode_url("c", 1)
        assert [post(url, "/x", {"session": "two", "q": q}) for q in (1, 2)] == live
        assert post(url, "/x", {"session": "two", "q": 3})[0] >= 500


def recorded(path):
    """Make a recording of one response."""
    with ResponseStore(path) as store:
        store.put("a", "text/plain", b"the answer" * 50)


def test_a_recording_is_replayed_where_nothing_can_be_written(tmp_path):
    """A replay needs no more than to read its file."""
    recorded(tmp_path / "r.db")
    with read_only(tmp_path / "r.db") as folder, ResponseStore(folder / "r.db", replay=True) as store:
        assert store.get("a") == ("text/plain", b"the answer" * 50)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE bodies SET body = x'00'",
        "UPDATE responses SET hash = 'x'; UPDATE bodies SET hash = 'x'",
        "DROP TABLE bodies",
    ],
)
def test_a_damaged_recording_is_one_line(tmp_path, sql):
    """A body that is not the one that was recorded is never given for it."""
    recorded(tmp_path / "r.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "r.db")) as db:
        db.executescript(sql)
    with ResponseStore(tmp_path / "r.db", replay=True) as store, pytest.raises(StoreError, match="r.db: "):
        store.get("a")


def full(traffic):
    """Let a recording grow no further."""
    (pages,) = traffic._db.execute("PRAGMA page_count").fetchone()
    traffic._db.execute(f"PRAGMA max_page_count={pages}")


def test_a_recording_that_is_full_ends_the_run_and_says_so(tmp_path):
    """Responses that can't be kept are the disk's fault, and no sample's: the run stops at the first."""
    noise = random.Random(1).randbytes(40_000).hex()
    with Scripted(lambda *_: chat(noise)) as server, ResponseStore(tmp_path / "r.db") as traffic:
        full(traffic)
        with Store(tmp_path / "a.db", create=True) as store, pytest.raises(DataError, match=r"r.db: .*full.*has room"):
            draw(store, server.url, traffic)


def test_the_proxy_tells_of_a_recording_that_is_full(tmp_path):
    """What a command's own client can't say ends the sample with the recording's error; wrong lengths are refused."""
    noise = random.Random(1).randbytes(40_000).hex()
    with Scripted(lambda *_: chat(noise)) as server, ResponseStore(tmp_path / "r.db") as traffic:
        full(traffic)
        with RecordingProxy(server.url, traffic) as proxy:
            url = proxy.episode_url("c", 1)
            assert post(url, "/chat/completions", {"a": 1})[0] == 200
            with pytest.raises(StoreError, match="full"):
                proxy.end_episode("c", 1)
            connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
            connection.request("POST", urlsplit(url).path, headers={"Content-Length": "-5"})
            assert connection.getresponse().status == 400
            connection.close()
