"""A chat model as a subject: one answer, one patch, or an agent with tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from passband.errors import UsageError
from passband.records import Answer, AnswerFormat, Usage
from passband.subject.base import CaseView, HarnessPart, Response, SubjectFault
from passband.subject.chat.anthropic import AnthropicMessages
from passband.subject.chat.client import Client, ContextExceededError
from passband.subject.chat.messages import Message
from passband.subject.chat.openai_chat import OpenAIChat
from passband.subject.chat.openai_responses import OpenAIResponses
from passband.subject.chat.prices import load_price
from passband.subject.chat.provider import Request
from passband.subject.chat.settings import ChatSettings
from passband.subject.chat.template import load_template
from passband.subject.chat.tools import TOOLS, Workbench
from passband.subject.chat.transport import make_transport
from passband.subject.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import Fault
    from passband.subject.chat.messages import Reply
    from passband.subject.chat.provider import Provider
    from passband.subject.traffic import ResponseStore

__all__ = ["ChatSubject", "load_chat"]

_PROVIDERS: Mapping[str, type[Provider]] = {
    "chat": OpenAIChat,
    "responses": OpenAIResponses,
    "messages": AnthropicMessages,
}
_SEED_BITS = 31  # what servers take for an integer


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
        self._model = model
        self._settings = settings
        self._traffic = traffic
        self._unsafe = unsafe
        self._provider = _PROVIDERS[settings.api]()
        self._templates = {
            mode: load_template(settings.template or mode)
            for mode in (("answer", "patch") if settings.mode == "auto" else (settings.mode,))
        }
        self._price = load_price(settings.prices, model) if settings.prices else None
        key = os.environ.get(settings.key_env or self._provider.key_env, "")
        if settings.key_env and not key:
            raise UsageError("is not in the environment", where=settings.key_env)
        self._client = Client(
            make_transport(settings.sdk, base_url, self._provider, key, timeout_s=settings.timeout_s),
            self._provider,
            attempts=settings.attempts,
            concurrency=settings.concurrency,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            longest_s=settings.timeout_s,
        )

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
        return self._priced(Usage(input_tokens=_bound(messages), output_tokens=settings.max_tokens))

    def sample(self, view: CaseView, seed: int) -> Response:
        """Hold one conversation about a case.

        Raises
        ------
        SubjectFault
            Where the server gave no whole reply in as many attempts as are allowed, or refuses such requests for good.
        """
        episode = _Conversation(self, view, seed)
        try:
            return episode.agent() if self._mode(view) == "agent" else episode.single()
        except SubjectFault as error:
            episode.fail(error)

    def _mode(self, view: CaseView) -> str:
        if self._settings.mode != "auto":
            return self._settings.mode
        return "patch" if view.workspace else "answer"

    def _priced(self, usage: Usage) -> Usage:
        return msgspec.structs.replace(usage, cost_usd=self._price.of(usage) if self._price else None)


class _Conversation:
    """One sample under way."""

    def __init__(self, subject: ChatSubject, view: CaseView, seed: int) -> None:
        self._subject = subject
        self._settings = subject._settings  # noqa: SLF001 - two halves of one thing
        self._view = view
        self._seed = seed
        self._faults: list[Fault] = []
        self._trace: list[Mapping[str, Any]] = []
        self._usage = Usage()
        self._counted = True
        traffic = subject._traffic  # noqa: SLF001
        self._episode = None
        if traffic is not None:
            from passband.subject.traffic import Episode

            self._episode = Episode(traffic, view.id, seed)
        self._messages = subject._templates[subject._mode(view)].render(view)  # noqa: SLF001

    def single(self) -> Response:
        """Ask once."""
        try:
            reply = self._turn(())
        except ContextExceededError as error:
            return self._end("context_exceeded", Answer(b""), detail=str(error))
        if reply.finish == "length":
            return self._end("truncated", Answer(b""))
        if reply.finish == "refusal":
            return self._end("refused", Answer(b""))
        text = self._subject._mode(self._view) == "answer"  # noqa: SLF001
        return self._end("answered", Answer.of(reply.text, AnswerFormat.TEXT if text else AnswerFormat.AUTO))

    def agent(self) -> Response:
        """Let the model use tools until it submits or a budget ends; what it leaves in the workspace is the answer."""
        from passband.grade.patch import answer_from_trees

        bench = Workbench(self._view.workspace, unsafe=self._subject._unsafe)  # noqa: SLF001
        status = self._work(bench)
        answer = answer_from_trees(self._view.workspace, bench.files)
        return self._end(status, answer)

    def _work(self, bench: Workbench) -> str:
        settings = self._settings
        for _ in range(settings.turns):
            used = self._usage.input_tokens + self._usage.output_tokens
            if used + _bound(self._messages, TOOLS) + settings.max_tokens > settings.token_budget:
                return "tokens_spent"
            try:
                reply = self._turn(TOOLS)
            except ContextExceededError:
                return "context_exceeded"
            if reply.finish == "length":
                return "truncated"
            if reply.finish == "refusal":
                return "refused"
            if not reply.tool_calls:
                return "answered"
            for call in reply.tool_calls:
                result = "error: submitted already" if bench.submitted else bench.use(call)
                self._trace.append({"event": "tool", "name": call.name, "arguments": call.arguments, "result": result})
                self._messages.append(Message(role="tool", text=result, tool_call_id=call.id))
            if bench.submitted:
                return "submitted"
        return "turns_spent"

    def _turn(self, tools: Sequence[Any]) -> Reply:
        settings, subject = self._settings, self._subject
        body = subject._provider.body(  # noqa: SLF001
            Request(
                model=subject._model,  # noqa: SLF001
                messages=self._messages,
                tools=tools,
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                top_p=settings.top_p,
                seed=self._seed % 2**_SEED_BITS if settings.send_seed else None,
                logprobs=settings.logprobs,
                stream=settings.stream,
            )
        )
        reply = subject._client.ask(body, self._seed, self._faults, self._episode)  # noqa: SLF001
        used = reply.usage
        if used is None:
            # Budgets must hold all the same: what it can have used at most stands in for what it has.
            used = Usage(input_tokens=_bound(self._messages, tools), output_tokens=settings.max_tokens)
            self._counted = False
        self._usage = Usage(
            input_tokens=self._usage.input_tokens + used.input_tokens,
            output_tokens=self._usage.output_tokens + used.output_tokens,
        )
        self._messages.append(Message(role="assistant", text=reply.text, tool_calls=reply.tool_calls))
        event: dict[str, Any] = {"event": "reply", "finish": reply.finish, "text": reply.text, "model": reply.model}
        if reply.usage is None:
            event["tokens"] = "not reported: reckoned at the most"
        if reply.logprob is not None:
            event |= {"logprob": reply.logprob, "tokens_scored": reply.tokens_scored}
        self._trace.append(event)
        return reply

    def _end(self, status: str, answer: Answer, *, detail: str = "") -> Response:
        event = {"event": "end", "status": status} | ({"detail": detail} if detail else {})
        return Response(
            output=answer,
            trace=(*self._trace, event),
            usage=self._used(),
            faults=tuple(self._faults),
        )

    def _used(self) -> Usage:
        """What it has cost; of tokens that nobody has counted the price is not known."""
        return self._subject._priced(self._usage) if self._counted else self._usage  # noqa: SLF001

    def fail(self, error: SubjectFault) -> NoReturn:
        """Pass a fault on with all that led to it and all it has cost."""
        raise SubjectFault(
            str(error),
            retryable=error.retryable,
            faults=self._faults,
            usage=self._used(),
        ) from None


def _bound(messages: Sequence[Message], tools: Sequence[Any] = ()) -> int:
    """Return tokens that a conversation cannot exceed: byte-level vocabularies spend a token on a byte at worst."""
    size = sum(len(m.text.encode()) + sum(len(c.arguments) + len(c.name) for c in m.tool_calls) for m in messages)
    schemas = sum(len(msgspec.json.encode(tool)) for tool in tools)
    return size + schemas + 16 * (len(messages) + 1)


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
    if chosen.sdk and not base_url.startswith(("http://", "https://")):
        model, at, base_url = spec, "@", ""
    if not at or not model or not (chosen.sdk or base_url.startswith(("http://", "https://"))):
        raise UsageError(
            "is not of the form chat:MODEL@BASE_URL",
            where=f"chat:{spec}",
            fix="for example chat:qwen3-4b@http://localhost:8000/v1",
        )
    return ChatSubject(model, base_url, chosen, traffic=traffic, unsafe=unsafe)
