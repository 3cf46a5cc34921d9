"""A chat model as a subject: one answer, one patch, or an agent with tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from passband.errors import UsageError
from passband.records import Usage
from passband.subject.base import HarnessPart, SubjectFault
from passband.subject.chat.anthropic import AnthropicMessages
from passband.subject.chat.client import Client
from passband.subject.chat.conversation import Asked, Conversation, most_tokens, priced
from passband.subject.chat.openai_chat import OpenAIChat
from passband.subject.chat.openai_responses import OpenAIResponses
from passband.subject.chat.prices import load_price
from passband.subject.chat.settings import ChatSettings
from passband.subject.chat.template import load_template
from passband.subject.chat.tools import TOOLS
from passband.subject.chat.transport import make_transport
from passband.subject.settings import is_base_url, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.subject.base import CaseView, Response
    from passband.subject.chat.provider import Provider
    from passband.subject.traffic import ResponseStore

__all__ = ["ChatSubject", "load_chat"]

_PROVIDERS: Mapping[str, type[Provider]] = {
    "chat": OpenAIChat,
    "responses": OpenAIResponses,
    "messages": AnthropicMessages,
}


class ChatSubject:
    """Asks a chat model.

    A turn that the model was cut short in, refused, or outgrew its context with is no answer: the sample ends with that
    status in its trace and an empty answer, which fails. A reply that did not arrive whole is a fault, and asked for
    again.

    Parameters
    ----------
    model : str
        As the server calls it.
    base_url : str
        With ``/v1`` where the server has it; empty for the own address of an SDK.
    settings : ChatSettings
        Everything else.
    traffic : ResponseStore, optional
        Records, or replays.
    unsafe : bool
        Let an agent's tests run without isolation.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        settings: ChatSettings,
        *,
        traffic: ResponseStore | None = None,
        unsafe: bool = False,
    ) -> None:
        self.name = f"chat:{model}@{base_url}" if base_url else f"chat:{model}"
        self._settings = settings
        provider = _PROVIDERS[settings.api]()
        self._templates = {
            mode: load_template(settings.template or mode)
            for mode in (("answer", "patch") if settings.mode == "auto" else (settings.mode,))
        }
        self._price = load_price(settings.prices, model) if settings.prices else None
        key = os.environ.get(settings.key_env or provider.key_env, "")
        if settings.key_env and not key:
            raise UsageError("is not in the environment", where=settings.key_env)
        client = Client(
            make_transport(settings.sdk, base_url, provider, key, timeout_s=settings.timeout_s),
            provider,
            attempts=settings.attempts,
            concurrency=settings.concurrency,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            longest_s=settings.timeout_s,
        )
        self._asked = Asked(model, settings, provider, client, self._price, traffic, unsafe)

    @property
    def params(self) -> Mapping[str, Any]:
        """What defines the subject: how the model is asked, not how fast."""
        settings = self._settings
        sdk = {"sdk": settings.sdk} if settings.sdk else {}
        return {"api": settings.api, "stream": settings.stream, "send_seed": settings.send_seed} | sdk

    @property
    def harness(self) -> HarnessPart:
        """Prompt, tools, budgets and sampling, for the harness's fingerprint."""
        settings = self._settings
        agent = settings.mode == "agent"
        return HarnessPart(
            prompt_template="+".join(template.digest for template in self._templates.values()),
            tools=tuple(tool.name for tool in TOOLS) if agent else (),
            budgets={"max_tokens": settings.max_tokens}
            | ({"turns": settings.turns, "token_budget": settings.token_budget} if agent else {}),
            sampling={"temperature": settings.temperature, "top_p": settings.top_p},
        )

    @property
    def priced(self) -> bool:
        """Whether its price table knows the model."""
        return self._price is not None

    def ceiling(self, view: CaseView) -> Usage:
        """The most a sample can use when every request is answered at once; a token is at least a byte."""
        settings = self._settings
        if self._mode(view) == "agent":
            most = Usage(input_tokens=settings.token_budget)
            dearest = max(self._price.input, self._price.output) if self._price else None
            cost = settings.token_budget * dearest / 1e6 if dearest is not None else None
            return msgspec.structs.replace(most, cost_usd=cost)
        messages = self._templates[self._mode(view)].render(view)
        most = Usage(input_tokens=most_tokens(messages), output_tokens=settings.max_tokens)
        return priced(most, self._price)

    def sample(self, view: CaseView, seed: int) -> Response:
        """Hold one conversation about a case.

        Raises
        ------
        SubjectFault
            Where the server gave no whole reply in as many attempts as are allowed, or refuses such requests for good.
        """
        mode = self._mode(view)
        conversation = Conversation(self._asked, view, seed, self._templates[mode].render(view))
        try:
            return conversation.agent() if mode == "agent" else conversation.single(as_text=mode == "answer")
        except SubjectFault as error:
            conversation.fail(error)

    def _mode(self, view: CaseView) -> str:
        if self._settings.mode != "auto":
            return self._settings.mode
        return "patch" if view.workspace else "answer"


def load_chat(
    spec: str, settings: Mapping[str, str], *, traffic: ResponseStore | None = None, unsafe: bool = False
) -> ChatSubject:
    """Make a subject of ``MODEL@BASE_URL``, or of ``MODEL`` at the own address of an SDK.

    Raises
    ------
    UsageError
        Where it is not of that form, a setting is off, or the extra it takes is not installed.
    """
    chosen = read_settings(settings, ChatSettings)
    model, at, base_url = spec.rpartition("@")
    if chosen.sdk and not is_base_url(base_url):
        model, at, base_url = spec, "@", ""
    if not at or not model or not (chosen.sdk or is_base_url(base_url)):
        raise UsageError(
            "is not of the form chat:MODEL@BASE_URL",
            where=f"chat:{spec}",
            fix="for example chat:qwen3-4b@http://localhost:8000/v1",
        )
    return ChatSubject(model, base_url, chosen, traffic=traffic, unsafe=unsafe)
