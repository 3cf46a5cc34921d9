"""A scripted model for agent command lines: asks for one shell command, then says that it is done."""

from __future__ import annotations

import json

from .scripted import Reply, chat, messages, responses, sse

_MINI_END = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"  # how mini-swe-agent is told that the work is done


def script(command):
    """Make a script in every dialect, streamed or not, that has `command` run once in each conversation."""

    def answer(_number, path, body):
        path = path.partition("?")[0]
        if path.endswith("/chat/completions"):
            return _chat(body, command)
        if path.endswith("/responses"):
            return _responses(body, command)
        if path.endswith("/messages"):
            return _messages(body, command)
        if path.endswith("/count_tokens"):
            return {"input_tokens": 100}
        return Reply({"object": "list", "data": []})

    return answer


def _tool(tools, command):
    """Choose the tool that runs shell commands and write its arguments."""
    for tool in tools or ():
        spec = tool.get("function", tool)
        name = spec.get("name", "")
        if name.lower() in {"bash", "shell", "exec_command", "shell_command"}:
            schema = spec.get("parameters") or spec.get("input_schema") or {}
            fields = schema.get("properties", {})
            key = next(key for key in ("command", "cmd") if key in fields)
            words = ["bash", "-lc", command] if fields[key].get("type") == "array" else command
            more = {"description": "Repair the file"} if "description" in fields else {}
            return name, {key: words} | more
    return None


def _chat(body, command):
    tool = _tool(body.get("tools"), command)
    done = any(message["role"] == "tool" for message in body["messages"])
    if done and _MINI_END in json.dumps(body["messages"]):
        whole = chat("", calls=[("bash", {"command": f"echo {_MINI_END}"})])
    else:
        whole = chat("The issue is resolved.") if done or tool is None else chat("", calls=[tool])
    if not body.get("stream"):
        return whole
    choice = whole["choices"][0]
    delta = {"role": "assistant", "content": choice["message"]["content"]}
    if "tool_calls" in choice["message"]:
        delta["tool_calls"] = [{"index": i, **call} for i, call in enumerate(choice["message"]["tool_calls"])]
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return Reply(
        sse(
            base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
            base | {"choices": [], "usage": whole["usage"] | {"total_tokens": 18}},
        )
    )


def _responses(body, command):
    tool = _tool(body.get("tools"), command)
    done = any(item.get("type") == "function_call_output" for item in body["input"] if isinstance(item, dict))
    whole = responses("The issue is resolved.") if done or tool is None else responses("", calls=[tool])
    whole |= {"id": "resp", "object": "response", "created_at": 1}
    whole["usage"] |= {"total_tokens": 18}
    whole["output"] = [item for item in whole["output"] if item["type"] != "message" or item["content"][0]["text"]]
    for i, item in enumerate(whole["output"]):
        item |= {"id": f"item{i}", "status": "completed"}
    if not body.get("stream"):
        return whole
    events = [("response.created", {"type": "response.created", "response": whole | {"status": "in_progress"}})]
    events += [
        ("response.output_item.done", {"type": "response.output_item.done", "output_index": i, "item": item})
        for i, item in enumerate(whole["output"])
    ]
    events.append(("response.completed", {"type": "response.completed", "response": whole}))
    return Reply(sse(*events, end=False))


def _messages(body, command):
    tool = _tool(body.get("tools"), command)
    done = "tool_result" in json.dumps(body["messages"])
    whole = messages("The issue is resolved.") if done or tool is None else messages(calls=[tool])
    whole |= {"id": "msg", "stop_sequence": None}
    if not body.get("stream"):
        return whole
    events = [("message_start", {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}})]
    for i, block in enumerate(whole["content"]):
        empty = block | ({"text": ""} if block["type"] == "text" else {"input": {}})
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if block["type"] == "text"
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        events += [
            ("content_block_start", {"type": "content_block_start", "index": i, "content_block": empty}),
            ("content_block_delta", {"type": "content_block_delta", "index": i, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": i}),
        ]
    events += [
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
                "usage": {"output_tokens": 7},
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    return Reply(sse(*events, end=False))
