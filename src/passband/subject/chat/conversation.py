"""One conversation with a chat model: a single turn, or an agent's with tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from passband.records import Answer, AnswerFormat, Usage
from passband.subject.base import Response, SubjectFault
from passband.subject.chat.client import ContextExceededError
from passband.subject.chat.messages import Message
from passband.subject.chat.provider import Request
from passband.subject.chat.tools import TOOLS, Workbench

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import Fault
    from passband.subject.base import CaseView
    from passband.subject.chat.client import Client
    from passband.subject.chat.messages import Reply
    from passband.subject.chat.prices import Price
    from passband.subject.chat.provider import Provider
    from passband.subject.chat.settings import ChatSettings
    from passband.subject.traffic import ResponseStore

__all__ = ["Asked", "Conversation", "most_tokens", "priced"]

_SEED_BITS = 31  # what servers take for an integer


@dataclass(frozen=True)
class Asked:
    """Whom conversations are held with, and how."""

    model: str
    settings: ChatSettings
    provider: Provider
    client: Client
    price: Price | None
    traffic: ResponseStore | None
    unsafe: bool


class Conversation:
    """One sample under way.

    Parameters
    ----------
    asked : Asked
        Whom it is held with, and how.
    view : CaseView
        What the subject may see of the case.
    seed : int
        Of the sample.
    messages : list of Message
        What it begins with.
    """

    def __init__(self, asked: Asked, view: CaseView, seed: int, messages: list[Message]) -> None:
        self._asked = asked
        self._settings = asked.settings
        self._view = view
        self._seed = seed
        self._faults: list[Fault] = []
        self._trace: list[Mapping[str, Any]] = []
        self._usage = Usage()
        self._counted = True
        self._episode = None
        if asked.traffic is not None:
            from passband.subject.traffic import Episode

            self._episode = Episode(asked.traffic, view.id, seed)
        self._messages = messages

    def single(self, *, as_text: bool) -> Response:
        """Ask once; what is answered is text, or a change of files in whatever form it has."""
        try:
            reply = self._turn(())
        except ContextExceededError as error:
            return self._end("context_exceeded", Answer(b""), detail=str(error))
        if reply.finish == "length":
            return self._end("truncated", Answer(b""))
        if reply.finish == "refusal":
            return self._end("refused", Answer(b""))
        return self._end("answered", Answer.of(reply.text, AnswerFormat.TEXT if as_text else AnswerFormat.AUTO))

    def agent(self) -> Response:
        """Let the model use tools until it submits or a budget ends; what it leaves in the workspace is the answer."""
        from passband.grade.patch import answer_from_trees

        bench = Workbench(self._view.workspace, unsafe=self._asked.unsafe)
        status = self._work(bench)
        answer = answer_from_trees(self._view.workspace, bench.files)
        return self._end(status, answer)

    def _work(self, bench: Workbench) -> str:
        settings = self._settings
        for _ in range(settings.turns):
            used = self._usage.input_tokens + self._usage.output_tokens
            if used + most_tokens(self._messages, TOOLS) + settings.max_tokens > settings.token_budget:
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
        settings, asked = self._settings, self._asked
        body = asked.provider.body(
            Request(
                model=asked.model,
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
        reply = asked.client.ask(body, self._seed, self._faults, self._episode)
        used = reply.usage
        if used is None:
            # Budgets must hold all the same: what it can have used at most stands in for what it has.
            used = Usage(input_tokens=most_tokens(self._messages, tools), output_tokens=settings.max_tokens)
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
        return priced(self._usage, self._asked.price) if self._counted else self._usage

    def fail(self, error: SubjectFault) -> NoReturn:
        """Pass a fault on with all that led to it and all it has cost."""
        raise SubjectFault(
            str(error),
            retryable=error.retryable,
            faults=self._faults,
            usage=self._used(),
        ) from None


def most_tokens(messages: Sequence[Message], tools: Sequence[Any] = ()) -> int:
    """Return tokens that a conversation cannot exceed: byte-level vocabularies spend a token on a byte at worst."""
    size = sum(len(m.text.encode()) + sum(len(c.arguments) + len(c.name) for c in m.tool_calls) for m in messages)
    schemas = sum(len(msgspec.json.encode(tool)) for tool in tools)
    return size + schemas + 16 * (len(messages) + 1)


def priced(usage: Usage, price: Price | None) -> Usage:
    """Add what tokens cost, where the price is known."""
    return msgspec.structs.replace(usage, cost_usd=price.of(usage) if price else None)
