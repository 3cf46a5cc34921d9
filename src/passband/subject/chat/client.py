"""One request until it is answered: retries, limits, timeouts, and an account of every attempt."""

from __future__ import annotations

import email.utils
import random
import time
from typing import TYPE_CHECKING, Any

import orjson

from passband.records import Fault
from passband.subject.base import SubjectFault
from passband.subject.chat.body import EndlessReplyError, read_lines, read_whole
from passband.subject.chat.limits import AdaptiveLimit, TokenBucket
from passband.subject.chat.provider import IncompleteReplyError, plausible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passband.subject.chat.messages import Reply
    from passband.subject.chat.provider import Provider
    from passband.subject.chat.transport import HttpReply, Transport
    from passband.subject.traffic import Episode

__all__ = ["Client", "ContextExceededError"]

_BASE_S = 0.5
_CAP_S = 60.0
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_MOVED = {301, 302, 303, 307, 308}
_CONTEXT = ("context_length_exceeded", "context length", "context window", "prompt is too long", "maximum context")


class ContextExceededError(Exception):
    """The conversation has outgrown the model: an end of the episode, and no failure of the machinery."""


class _Again(Exception):  # noqa: N818 - a signal within this module
    """The attempt failed in a way that another may mend."""

    def __init__(self, detail: str, *, after_s: float | None = None, refused: bool = False) -> None:
        super().__init__(detail)
        self.after_s = after_s
        self.refused = refused


class Client:
    """Asks one server; safe to use from many threads.

    Parameters
    ----------
    transport : Transport
        Sends a request, once.
    provider : Provider
        The dialect.
    attempts : int
        Requests sent for one answer, at most.
    concurrency : int
        Requests under way at once, at most; fewer while the server refuses.
    requests_per_minute, tokens_per_minute : float, optional
        What the server allows.
    max_wait_s : float
        The longest Retry-After that is waited for.
    longest_s : float
        How long a request may take, from its sending to the last byte of its reply, however often bytes come.
    """

    def __init__(
        self,
        transport: Transport,
        provider: Provider,
        *,
        attempts: int,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        max_wait_s: float = 300.0,
        longest_s: float = 600.0,
    ) -> None:
        import httpx2

        self._httpx = httpx2
        self._transport = transport
        self._provider = provider
        self._attempts = attempts
        self._max_wait_s = max_wait_s
        self._longest_s = longest_s
        self._reached = False
        self._limit = AdaptiveLimit(concurrency)
        self._requests = TokenBucket(requests_per_minute) if requests_per_minute else None
        self._tokens = TokenBucket(tokens_per_minute) if tokens_per_minute else None

    def ask(self, body: Mapping[str, Any], seed: int, faults: list[Fault], episode: Episode | None = None) -> Reply:
        """Send a request until it is answered.

        Parameters
        ----------
        body : mapping
            As the provider wrote it.
        seed : int
            Spreads the waits.
        faults : list of Fault
            Every attempt that failed is appended.
        episode : Episode, optional
            Where the traffic is recorded, or read from in place of the network.

        Raises
        ------
        SubjectFault
            After the last attempt; not retryable where no attempt could do better.
        ContextExceededError
            Where the server says that the conversation is too long.
        """
        key = episode.key("POST", self._provider.path, orjson.dumps(body)) if episode else ""
        if episode and (found := episode.replay(key)) is not None:
            return plausible(self._provider.read(orjson.loads(found)))
        for attempt in range(1, self._attempts + 1):
            try:
                whole = self._once(body)
                reply = self._read(whole)
            except _Again as error:
                if attempt == self._attempts:
                    # A server that nobody has ever reached is a wrong address: no other sample would fare better.
                    raise SubjectFault(str(error), faults=faults, retryable=self._reached) from None
                faults.append(Fault("subject", str(error)))
                time.sleep(self._wait(error, attempt, seed))
                continue
            if episode:
                episode.record(key, orjson.dumps(whole))
            if self._tokens and reply.usage is not None:
                self._tokens.charge(reply.usage.input_tokens + reply.usage.output_tokens)
            return reply
        raise AssertionError("unreachable")

    def _read(self, whole: Any) -> Reply:
        try:
            return plausible(self._provider.read(whole))
        except IncompleteReplyError as error:
            raise _Again(f"no whole reply: {error}") from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _Again(f"the reply is not what the API says: {type(error).__name__}: {error}") from None

    def _wait(self, error: _Again, attempt: int, seed: int) -> float:
        if error.after_s is not None:
            if error.after_s > self._max_wait_s:
                raise SubjectFault(f"{error}: asks to wait {error.after_s:g} s, longer than {self._max_wait_s:g} s")
            return error.after_s
        limit = min(_CAP_S, _BASE_S * 2.0 ** (attempt - 1))
        return random.Random(f"{seed}/{attempt}").uniform(limit / 2, limit)  # noqa: S311 - spreads load

    def _once(self, body: Mapping[str, Any]) -> Any:
        if self._requests:
            self._requests.take()
        if self._tokens:
            self._tokens.take(0)
        with self._limit.slot() as era:
            begun = time.monotonic()
            try:
                with self._transport.send(body) as response:
                    self._reached = True
                    self._check(response, begun)
                    whole = self._stream(response, begun) if body.get("stream") else self._body(response, begun)
            except _Again as error:
                if error.refused:
                    self._limit.refused(era)
                raise
            except self._httpx.TimeoutException as error:
                self._limit.refused(era)
                raise _Again(f"timed out: {type(error).__name__}") from None
            except EndlessReplyError as error:
                raise _Again(str(error)) from None
            except self._httpx.UnsupportedProtocol as error:
                raise SubjectFault(str(error), retryable=False) from None
            except (self._httpx.TransportError, self._httpx.DecodingError, self._httpx.StreamError) as error:
                raise _Again(f"the connection failed: {type(error).__name__}: {error}") from None
            self._limit.accepted()
            return whole

    def _check(self, response: HttpReply, begun: float) -> None:
        """Sort what is no success: try again, give up, or the end of a conversation."""
        status = response.status_code
        if status == 200:
            return
        said = " ".join(read_whole(response, self._longest_s, begun).decode(errors="replace").split())[:300]
        detail = f"HTTP {status}: {said}" if said else f"HTTP {status}"
        if status in _MOVED and (place := response.headers.get("location", "")):
            detail = f"HTTP {status}: moved to {place[:300]}; redirections are not followed: give that address"
        lower = said.lower()
        if status == 429 and "insufficient_quota" in lower:
            raise SubjectFault(detail, retryable=False)
        if status in _AGAIN:
            refused = status in {429, 503, 529}
            raise _Again(detail, after_s=_retry_after(response.headers), refused=refused)
        if status in {400, 413} and any(sign in lower for sign in _CONTEXT):
            raise ContextExceededError(detail)
        raise SubjectFault(detail, retryable=False)

    def _body(self, response: HttpReply, begun: float) -> Any:
        content = read_whole(response, self._longest_s, begun)
        kind = response.headers.get("content-type", "")
        if "json" not in kind:
            raise _Again(f"the reply is {kind or 'of no type'}, not JSON")
        return _json(content)

    def _stream(self, response: HttpReply, begun: float) -> Any:
        kind = response.headers.get("content-type", "")
        if "event-stream" not in kind:
            raise _Again(f"the reply is {kind or 'of no type'}, not an event stream")
        try:
            return self._provider.fold(_events(read_lines(response, self._longest_s, begun)))
        except IncompleteReplyError as error:
            raise _Again(f"no whole reply: {error}") from None
        except (AttributeError, KeyError, TypeError) as error:
            raise _Again(f"the stream is not what the API says: {type(error).__name__}: {error}") from None


def _json(content: bytes | str) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _Again(f"the reply is not JSON: {error}") from None


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Parse server-sent events into (name, data); ``[DONE]`` stays text."""
    name, data = "", []
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line and data:
            text = "\n".join(data)
            yield name, text if text == "[DONE]" else _json(text)
            name, data = "", []
    # An event without the empty line after it is not whole: the specification drops it, and so do we.


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a server asks to wait, from ``retry-after-ms`` or ``retry-after`` (seconds, or an HTTP date)."""
    milliseconds = headers.get("retry-after-ms")
    value = headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return max(0.0, when.timestamp() - time.time())
