"""A recording proxy: what a subprocess says to its model goes through here, and into the response store."""

from __future__ import annotations

import contextlib
import http.client
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from passband.errors import StoreError, UsageError
from passband.subject.base import SubjectFault
from passband.subject.traffic.responses import Episode

if TYPE_CHECKING:
    from passband.subject.traffic.responses import ResponseStore

__all__ = ["RecordingProxy"]

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "te", "trailer", "upgrade", "host"}
_CHUNK = 65536
_NOT_RECORDED = 599
_MOST = 64 * 2**20  # bytes of a request


class RecordingProxy:
    """A server on the loopback that forwards to one upstream, a base URL for each sample.

    Only whole, successful responses are recorded: a refusal or a cut stream is passed on for the client to retry, as
    without the proxy.

    Parameters
    ----------
    upstream : str
        Base URL of the model server, for example ``https://api.example.com/v1``.
    store : ResponseStore
        Where responses go; in a replay nothing is forwarded.
    timeout_s : float
        For each wait on the upstream.
    """

    def __init__(self, upstream: str, store: ResponseStore, *, timeout_s: float = 600.0) -> None:
        self._upstream = urllib.parse.urlsplit(upstream.rstrip("/"))
        if self._upstream.scheme not in {"http", "https"} or not self._upstream.hostname:
            raise UsageError("is no http(s) URL", where=upstream)
        self._store = store
        self._timeout_s = timeout_s
        self._episodes: dict[str, Episode] = {}
        self._lock = threading.Lock()
        self._failure: StoreError | None = None
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                proxy._serve(self)

            do_GET = do_POST = _serve  # noqa: N815 - the names that http.server looks for

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parameter's name there
                """Say nothing: standard error is the user's."""

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, name="passband-proxy", daemon=True).start()

    def episode_url(self, case_id: str, seed: int) -> str:
        """Open an episode and return the base URL that belongs to it; a second attempt starts it afresh."""
        name = f"{seed}-{urllib.parse.quote(case_id, safe='')}"
        with self._lock:
            self._episodes[name] = Episode(self._store, case_id, seed)
        return f"http://127.0.0.1:{self._server.server_address[1]}/{name}"

    def end_episode(self, case_id: str, seed: int) -> None:
        """Forget an episode.

        Raises
        ------
        StoreError
            Where the recording can't be read or written: every sample would meet that.
        """
        with self._lock:
            self._episodes.pop(f"{seed}-{urllib.parse.quote(case_id, safe='')}", None)
            if self._failure is not None:
                raise self._failure

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        name, _, rest = request.path.lstrip("/").partition("/")
        with self._lock:
            episode = self._episodes.get(name)
        length = request.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > _MOST:
            request.close_connection = True
            _send(request, 400, "text/plain", b"no request of that length is taken")
            return
        content = request.rfile.read(int(length))
        if episode is None:
            _send(request, 404, "text/plain", b"no such episode")
            return
        keys = (episode.key(request.command, f"/{rest}", content), episode.place(request.command, f"/{rest}"))
        try:
            found = episode.replay_typed(*keys)
        except SubjectFault as error:
            _send(request, _NOT_RECORDED, "text/plain", str(error).encode())
            return
        except StoreError as error:
            self._fail(error)
            _send(request, _NOT_RECORDED, "text/plain", str(error).encode())
            return
        if found is not None:
            _send(request, 200, *found)
            return
        self._forward(request, rest, content, episode, keys)

    def _forward(
        self, request: BaseHTTPRequestHandler, rest: str, content: bytes, episode: Episode, keys: tuple[str, str]
    ) -> None:
        kind = http.client.HTTPSConnection if self._upstream.scheme == "https" else http.client.HTTPConnection
        upstream = kind(self._upstream.hostname or "", self._upstream.port, timeout=self._timeout_s)
        # Compression would have to be undone for the store, and saves nothing on the loopback.
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _HOP | {"accept-encoding"}}
        try:
            upstream.request(request.command, f"{self._upstream.path}/{rest}", content, headers)
            response = upstream.getresponse()
        except (OSError, http.client.HTTPException) as error:
            upstream.close()
            _send(request, 502, "text/plain", f"upstream: {type(error).__name__}: {error}".encode())
            return
        with contextlib.closing(upstream), response:
            self._relay(request, response, episode, keys)

    def _fail(self, error: StoreError) -> None:
        with self._lock:
            self._failure = self._failure or error

    def _relay(
        self,
        request: BaseHTTPRequestHandler,
        response: http.client.HTTPResponse,
        episode: Episode,
        keys: tuple[str, str],
    ) -> None:
        request.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _HOP:
                request.send_header(name, value)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        body = bytearray()
        try:
            while block := response.read1(_CHUNK):
                body += block
                request.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
                request.wfile.flush()
            if response.length:  # the upstream promised more than it sent
                raise http.client.IncompleteRead(bytes(body), response.length)
        except (OSError, http.client.HTTPException):
            # The client must see a cut stream as one: no last chunk, and the connection ends.
            request.close_connection = True
            return
        if response.status == 200:
            try:
                for key in keys:
                    episode.record(key, bytes(body), response.getheader("Content-Type") or "")
            except StoreError as error:
                self._fail(error)  # the run ends with it; this sample may end as it would
        request.wfile.write(b"0\r\n\r\n")


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that go away: standard error is the user's."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave it to the client."""


def _send(request: BaseHTTPRequestHandler, status: int, content_type: str, body: bytes) -> None:
    request.send_response_only(status)
    request.send_header("Content-Type", content_type)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
