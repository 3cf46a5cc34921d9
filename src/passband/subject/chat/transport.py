"""How a request gets to its server: by our own HTTP client, or through the SDK of a vendor.

Whichever it is, a request goes out once, and its reply comes back as the server sent it: retries, limits and the
reading of replies are the client's, which has to account for every attempt.
"""

from __future__ import annotations

import importlib
import os
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from passband.errors import UsageError
from passband.subject.base import SubjectFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    from passband.subject.chat.provider import Provider

__all__ = ["SDKS", "HttpReply", "Transport", "make_transport"]

SDKS: Mapping[str, tuple[str, ...]] = {
    "openai": ("chat", "responses"),
    "anthropic": ("messages",),
    "litellm": ("chat",),
}
"""SDK → the dialects it speaks."""

_SDK_NAMES = {"openai": ("OpenAI", "OpenAIError"), "anthropic": ("Anthropic", "AnthropicError")}
"""SDK → its client, and what it raises."""

_MANY = 1024  # connections at once: what bounds them is the run's workers and the adaptive limit


class HttpReply(Protocol):
    """A reply of a server, as much of it as is looked at."""

    @property
    def status_code(self) -> int:
        """The status of HTTP."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers, whose names are found in lower case."""
        ...

    def iter_bytes(self) -> Iterator[bytes]:
        """The body, piece by piece."""
        ...


class Transport(Protocol):
    """Sends one request, once; safe to use from many threads."""

    def send(self, body: Mapping[str, Any]) -> AbstractContextManager[HttpReply]:
        """Send a request.

        Raises
        ------
        httpx2.TransportError
            Where no reply came.
        SubjectFault
            Where none ever will.
        """
        ...


def make_transport(sdk: str, base_url: str, provider: Provider, key: str, *, timeout_s: float) -> Transport:
    """Make the transport to a server.

    Parameters
    ----------
    sdk : str
        One of :data:`SDKS`; our own HTTP client where empty.
    base_url : str
        With ``/v1`` where the server has it; where empty, the SDK's own.
    provider : Provider
        The dialect.
    key : str
        Goes into headers only; where empty, an SDK looks for its own.
    timeout_s : float
        For a connection to be made, and for each wait for more bytes.

    Raises
    ------
    UsageError
        Where what it takes is not installed, or the SDK refuses its settings.
    """
    if sdk == "litellm":
        return _LiteLLM(base_url, key, timeout_s)
    httpx2 = _needed("httpx2", "chat")
    http = httpx2.Client(
        timeout=timeout_s,
        limits=httpx2.Limits(max_connections=_MANY, max_keepalive_connections=64),
        follow_redirects=False,
    )
    made: Transport = (
        _Sdk(sdk, base_url, provider, key, http, timeout_s) if sdk else _Http(base_url, provider, key, http)
    )
    # Connections end with whoever asks for them, at the latest with the process.
    weakref.finalize(made, http.close)
    return made


def _needed(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(f"this needs the extra {extra!r}", fix=f"pip install 'passband[{extra}]'") from None


class _Http:
    """Our own."""

    def __init__(self, base_url: str, provider: Provider, key: str, http: Any) -> None:
        self._url = base_url.rstrip("/") + provider.path
        self._headers = provider.headers(key) | {"Content-Type": "application/json"}
        self._http = http

    def send(self, body: Mapping[str, Any]) -> AbstractContextManager[HttpReply]:
        found: AbstractContextManager[HttpReply] = self._http.stream(
            "POST", self._url, content=orjson.dumps(body), headers=self._headers
        )
        return found


class _Sdk:
    """The SDK of OpenAI, or that of Anthropic, which are of one make: it finds keys, addresses and headers.

    Its retries are off, and its reading of the reply is left out: it takes a stream that was cut for a whole one.
    """

    def __init__(self, sdk: str, base_url: str, provider: Provider, key: str, http: Any, timeout_s: float) -> None:
        self._sdk = _needed(sdk, sdk)
        self._reply_type = _needed("httpx2", "chat").Response
        self._path = provider.path
        if sdk == "anthropic":  # its addresses are without the version, its paths with it
            base_url = base_url.rstrip("/").removesuffix("/v1")
            self._path = f"/v1{provider.path}"
        client, refusal = _SDK_NAMES[sdk]
        try:
            self._client = getattr(self._sdk, client)(
                api_key=key or None, base_url=base_url or None, http_client=http, timeout=timeout_s, max_retries=0
            )
        except getattr(self._sdk, refusal) as error:
            raise UsageError(f"{sdk}: {error}", where=f"--set sdk={sdk}") from None

    @contextmanager
    def send(self, body: Mapping[str, Any]) -> Iterator[HttpReply]:
        try:
            reply = self._client.post(self._path, body=dict(body), cast_to=self._reply_type)
        except self._sdk.APIStatusError as error:
            reply = error.response
        except self._sdk.APIConnectionError as error:
            raise (error.__cause__ or error) from None
        except (TypeError, ValueError) as error:  # before anything was sent: for want of a key, mostly
            raise SubjectFault(str(error), retryable=False) from None
        yield reply


class _LiteLLM:
    """LiteLLM, for services that none of the dialects reach.

    What it makes of a reply is all that it gives: a reply without a reason for its end comes back as ended.
    """

    def __init__(self, base_url: str, key: str, timeout_s: float) -> None:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # prices are the user's: none are fetched
        self._litellm = _needed("litellm", "litellm")
        _needed("httpx2", "chat")
        self._litellm.suppress_debug_info = True
        self._settings = {
            "api_base": base_url or None,
            "api_key": key or None,
            "timeout": timeout_s,
            "num_retries": 0,
            "max_retries": 0,
        }

    @contextmanager
    def send(self, body: Mapping[str, Any]) -> Iterator[HttpReply]:
        try:
            reply = self._litellm.completion(**body, **self._settings)
            pieces = [piece.model_dump() for piece in reply] if body.get("stream") else [reply.model_dump()]
        except Exception as error:
            status = getattr(error, "status_code", None)
            if not isinstance(status, int):
                raise
            headers = getattr(getattr(error, "response", None), "headers", None)
            yield _Made(status, dict(headers or {}), [str(error)])
            return
        if body.get("stream"):
            lines = [line for piece in pieces for line in (f"data: {orjson.dumps(piece).decode()}", "")]
            yield _Made(200, {"content-type": "text/event-stream"}, [*lines, "data: [DONE]", ""])
        else:
            yield _Made(200, {"content-type": "application/json"}, [orjson.dumps(pieces[0]).decode()])


class _Made:
    """A reply made of what an SDK left of one."""

    def __init__(self, status_code: int, headers: Mapping[str, str], lines: list[str]) -> None:
        self.status_code = status_code
        self.headers = headers
        self._lines = lines

    def iter_bytes(self) -> Iterator[bytes]:
        return (f"{line}\n".encode() for line in self._lines)
