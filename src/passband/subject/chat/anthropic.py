"""Anthropic's dialect: ``/messages``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from passband.subject.chat.messages import Finish, Message, Reply, ToolCall
from passband.subject.chat.provider import IncompleteReplyError, Request, refuse_error, take, used

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["AnthropicMessages"]

_FINISH: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "refusal",
}
_VERSION = "2023-06-01"


class AnthropicMessages:
    """The Messages API; it takes no seed and gives no log-probabilities."""

    path = "/messages"
    key_env = "ANTHROPIC_API_KEY"

    def headers(self, key: str) -> dict[str, str]:
        """Return the key and the version of the API."""
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def body(self, request: Request) -> dict[str, Any]:
        """Write the request."""
        system = "\n\n".join(message.text for message in request.messages if message.role == "system")
        body: dict[str, Any] = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "messages": _write([message for message in request.messages if message.role != "system"]),
        }
        if system:
            body["system"] = system
        for name in ("temperature", "top_p"):
            if (value := getattr(request, name)) is not None:
                body[name] = value
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
                for tool in request.tools
            ]
        if request.stream:
            body["stream"] = True
        return body | dict(request.extra)

    def read(self, body: Any) -> Reply:
        """Read a whole reply."""
        refuse_error(body)
        reason = body.get("stop_reason") if isinstance(body, dict) else None
        if not isinstance(reason, str) or reason not in _FINISH:
            raise IncompleteReplyError(f"stop_reason is {reason!r}")
        blocks = take(body, "content", kind=list)
        return Reply(
            text="".join(block.get("text") or "" for block in blocks if block.get("type") == "text"),
            finish=_FINISH[reason],
            tool_calls=tuple(
                ToolCall(
                    id=take(block, "id", kind=str),
                    name=take(block, "name", kind=str),
                    arguments=orjson.dumps(take(block, "input", kind=dict)).decode(),
                )
                for block in blocks
                if block.get("type") == "tool_use"
            ),
            usage=used(body.get("usage"), _INPUTS, "output_tokens"),
            model=body.get("model") or "",
        )

    def fold(self, events: Iterable[tuple[str, Any]]) -> Any:
        """Put the blocks of a stream together."""
        whole: dict[str, Any] = {}
        blocks: dict[int, dict[str, Any]] = {}
        inputs: dict[int, str] = {}
        for name, data in events:
            kind = name or data.get("type")
            if kind == "message_start":
                whole = dict(take(data, "message", kind=dict))
            elif kind == "content_block_start":
                blocks[data["index"]] = dict(take(data, "content_block", kind=dict))
            elif kind == "content_block_delta":
                delta, block = take(data, "delta", kind=dict), blocks.setdefault(data["index"], {"type": "text"})
                if delta.get("type") == "text_delta":
                    block["text"] = block.get("text", "") + delta["text"]
                elif delta.get("type") == "input_json_delta":
                    inputs[data["index"]] = inputs.get(data["index"], "") + delta["partial_json"]
            elif kind == "message_delta":
                whole |= take(data, "delta", kind=dict)
                whole["usage"] = (whole.get("usage") or {}) | (data.get("usage") or {})
            elif kind == "error":
                raise IncompleteReplyError(f"the stream broke off with an error: {data.get('error')}")
            elif kind == "message_stop":
                for index, text in inputs.items():
                    blocks[index]["input"] = _json(text)
                return whole | {"content": [blocks[i] for i in sorted(blocks)]}
        raise IncompleteReplyError("the stream ended before message_stop")


_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _json(text: str) -> Any:
    try:
        return orjson.loads(text or "{}")
    except orjson.JSONDecodeError as error:
        raise IncompleteReplyError(f"a tool's input is not JSON: {error}") from None


def _write(messages: Sequence[Message]) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            block = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}
            # Results of one turn's calls belong into one message.
            if written and written[-1]["role"] == "user" and isinstance(written[-1]["content"], list):
                written[-1]["content"].append(block)
            else:
                written.append({"role": "user", "content": [block]})
        elif message.tool_calls:
            blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
            blocks += [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call.arguments)}
                for call in message.tool_calls
            ]
            written.append({"role": "assistant", "content": blocks})
        else:
            written.append({"role": message.role, "content": message.text})
    return written


def _object(arguments: str) -> Any:
    try:
        found = orjson.loads(arguments or "{}")
    except orjson.JSONDecodeError:
        found = None
    return found if isinstance(found, dict) else {}
