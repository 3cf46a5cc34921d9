"""The dialect most servers speak: ``/chat/completions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.subject.chat.messages import Finish, Message, Reply, ToolCall
from passband.subject.chat.provider import IncompleteReplyError, Request, refuse_error, take, used

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["OpenAIChat"]

_FINISH: Mapping[str, Finish] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "refusal",
}


class OpenAIChat:
    """Chat completions, as OpenAI defines them and vLLM, llama.cpp, Ollama and many others serve them."""

    path = "/chat/completions"
    key_env = "OPENAI_API_KEY"

    def headers(self, key: str) -> dict[str, str]:
        """Return the bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request) -> dict[str, Any]:
        """Write the request."""
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [_write(message) for message in request.messages],
            "max_tokens": request.max_tokens,
        }
        for name in ("temperature", "top_p", "seed"):
            if (value := getattr(request, name)) is not None:
                body[name] = value
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
                }
                for tool in request.tools
            ]
        if request.logprobs:
            body["logprobs"] = True
        if request.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | dict(request.extra)

    def read(self, body: Any) -> Reply:
        """Read a whole reply."""
        refuse_error(body)
        choice = take(body, "choices", 0, kind=dict)
        finish = choice.get("finish_reason")
        if finish not in _FINISH:
            raise IncompleteReplyError(f"finish_reason is {finish!r}")
        message = take(choice, "message", kind=dict)
        calls = tuple(
            ToolCall(
                id=take(call, "id", kind=str),
                name=take(call, "function", "name", kind=str),
                arguments=take(call, "function", "arguments", kind=str),
            )
            for call in message.get("tool_calls") or ()
        )
        refused = isinstance(message.get("refusal"), str)
        scored = [token["logprob"] for token in (choice.get("logprobs") or {}).get("content") or ()]
        return Reply(
            text=message.get("content") or message.get("refusal") or "",
            finish="refusal" if refused else _FINISH[finish],
            tool_calls=calls,
            usage=used(body.get("usage"), ("prompt_tokens",), "completion_tokens"),
            logprob=sum(scored) if scored else None,
            tokens_scored=len(scored),
            model=body.get("model") or "",
        )

    def fold(self, events: Iterable[tuple[str, Any]]) -> Any:
        """Put the pieces of a stream together."""
        text: list[str] = []
        scored: list[Any] = []
        calls: dict[int, dict[str, Any]] = {}
        whole: dict[str, Any] = {"usage": None, "model": ""}
        finish = None
        for _, data in events:
            if data == "[DONE]":
                message = {"content": "".join(text), "tool_calls": [calls[i] for i in sorted(calls)]}
                choice = {"finish_reason": finish, "message": message, "logprobs": {"content": scored}}
                return whole | {"choices": [choice]}
            if "error" in data:
                raise IncompleteReplyError(f"the stream broke off with an error: {data['error']}")
            whole["usage"] = data.get("usage") or whole["usage"]
            whole["model"] = data.get("model") or whole["model"]
            for choice in data.get("choices") or ():
                delta = choice.get("delta") or {}
                text.append(delta.get("content") or "")
                scored += (choice.get("logprobs") or {}).get("content") or ()
                finish = choice.get("finish_reason") or finish
                for piece in delta.get("tool_calls") or ():
                    call = calls.setdefault(
                        piece.get("index", 0), {"id": "", "function": {"name": "", "arguments": ""}}
                    )
                    call["id"] = piece.get("id") or call["id"]
                    for name in ("name", "arguments"):
                        call["function"][name] += (piece.get("function") or {}).get(name) or ""
        raise IncompleteReplyError("the stream ended before [DONE]")


def _write(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return written
