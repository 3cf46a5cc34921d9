"""OpenAI's newer dialect: ``/responses``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.subject.chat.messages import Finish, Message, Reply, ToolCall
from passband.subject.chat.provider import IncompleteReplyError, Request, take, used

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["OpenAIResponses"]

_ENDS = ("response.completed", "response.incomplete", "response.failed")


class OpenAIResponses:
    """The Responses API, without state on the server: the whole conversation is sent each time."""

    path = "/responses"
    key_env = "OPENAI_API_KEY"

    def headers(self, key: str) -> dict[str, str]:
        """Return the bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request) -> dict[str, Any]:
        """Write the request; the API takes no seed."""
        items = [item for message in request.messages for item in _write(message)]
        body: dict[str, Any] = {
            "model": request.model,
            "input": items,
            "max_output_tokens": request.max_tokens,
            "store": False,
        }
        for name in ("temperature", "top_p"):
            if (value := getattr(request, name)) is not None:
                body[name] = value
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                    "strict": True,
                }
                for tool in request.tools
            ]
        if request.logprobs:
            body["include"] = ["message.output_text.logprobs"]
        if request.stream:
            body["stream"] = True
        return body | dict(request.extra)

    def read(self, body: Any) -> Reply:
        """Read a whole reply."""
        status = body.get("status") if isinstance(body, dict) else None
        if status not in {"completed", "incomplete"}:
            raise IncompleteReplyError(f"status is {status!r}: {(body or {}).get('error')}")
        text: list[str] = []
        calls: list[ToolCall] = []
        scored: list[float] = []
        refused = False
        for item in take(body, "output", kind=list):
            if item.get("type") == "function_call":
                calls.append(
                    ToolCall(
                        id=take(item, "call_id", kind=str),
                        name=take(item, "name", kind=str),
                        arguments=take(item, "arguments", kind=str),
                    )
                )
            for part in item.get("content") or () if item.get("type") == "message" else ():
                refused |= part.get("type") == "refusal"
                text.append(part.get("text") or part.get("refusal") or "")
                scored += [token["logprob"] for token in part.get("logprobs") or ()]
        return Reply(
            text="".join(text),
            finish=_finish(body, status, calls, refused=refused),
            tool_calls=tuple(calls),
            usage=used(body.get("usage"), ("input_tokens",), "output_tokens"),
            logprob=sum(scored) if scored else None,
            tokens_scored=len(scored),
            model=body.get("model") or "",
        )

    def fold(self, events: Iterable[tuple[str, Any]]) -> Any:
        """Take the response that the last event carries."""
        for name, data in events:
            if (name or data.get("type")) in _ENDS:
                return take(data, "response", kind=dict)
            if (name or data.get("type")) == "error":
                raise IncompleteReplyError(f"the stream broke off with an error: {data}")
        raise IncompleteReplyError("the stream ended before response.completed")


def _finish(body: Any, status: str, calls: list[ToolCall], *, refused: bool) -> Finish:
    if status == "incomplete":
        reason = (body.get("incomplete_details") or {}).get("reason")
        if reason == "max_output_tokens":
            return "length"
        if reason == "content_filter":
            return "refusal"
        raise IncompleteReplyError(f"the reply is incomplete: {reason!r}")
    if refused:
        return "refusal"
    return "tool_calls" if calls else "stop"


def _write(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}]
    items: list[dict[str, Any]] = []
    if message.text or not message.tool_calls:
        items.append({"role": message.role, "content": message.text})
    items += [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.tool_calls
    ]
    return items
