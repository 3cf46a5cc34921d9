"""A chat server whose every move is written by the test."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def chat(text="", *, calls=(), finish=None, usage=(11, 7), **more):
    """Make a whole reply of chat completions."""
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(calls)
        ]
    reason = finish or ("tool_calls" if calls else "stop")
    return {
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]},
        **more,
    }


def responses(text="", *, calls=(), status="completed", usage=(11, 7), **more):
    """Make a whole reply of the responses API."""
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
    output += [
        {"type": "function_call", "call_id": f"call{i}", "name": name, "arguments": json.dumps(arguments)}
        for i, (name, arguments) in enumerate(calls)
    ]
    return {
        "model": "scripted",
        "status": status,
        "output": output,
        "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
        **more,
    }


def messages(text="", *, calls=(), stop=None, usage=(11, 7)):
    """Make a whole reply of the messages API."""
    content = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"call{i}", "name": name, "input": arguments}
        for i, (name, arguments) in enumerate(calls)
    ]
    return {
        "model": "scripted",
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop or ("tool_use" if calls else "end_turn"),
        "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
    }


def sse(*events, end=True):
    """Make the bytes of a stream of chat completions; an event may be (name, data)."""
    lines = []
    for event in events:
        if isinstance(event, tuple):
            lines.append(f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n")
        else:
            lines.append(f"data: {json.dumps(event)}\n\n")
    return "".join(lines).encode() + (b"data: [DONE]\n\n" if end else b"")


class Reply:
    """What the server does about one request."""

    def __init__(
        self, body=None, *, status=200, headers=None, content_type=None, delay=0.0, cut=None, reset=False
    ) -> None:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = headers or {}
        self.content_type = content_type or (
            "text/event-stream"
            if isinstance(body, bytes) and body.startswith((b"data:", b"event:"))
            else "application/json"
        )
        self.delay = delay
        self.cut = cut  # bytes after which the connection ends
        self.reset = reset


class Scripted:
    """The server.

    Parameters
    ----------
    script : callable
        ``(number of the request, path, body) -> Reply or a whole reply``.
    """

    def __init__(self, script) -> None:
        self.requests: list[tuple[str, dict, dict]] = []
        self.answered = 0
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                owner._serve(self, script)

            do_GET = do_POST  # noqa: N815 - the name that http.server looks for

            def log_message(self, *args):
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # resets are meant
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def _serve(self, handler, script):
        content = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        body = json.loads(content) if content else {}
        with self._lock:
            number = len(self.requests)
            self.requests.append((handler.path, dict(handler.headers), body))
        reply = script(number, handler.path, body)
        if not isinstance(reply, Reply):
            reply = Reply(reply)
        time.sleep(reply.delay)
        if reply.reset:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
            handler.connection.close()
            return
        handler.send_response_only(reply.status)
        handler.send_header("Content-Type", reply.content_type)
        handler.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.cut is not None:
            handler.wfile.write(reply.body[: reply.cut])
            handler.close_connection = True
            return
        handler.wfile.write(reply.body)
        with self._lock:
            self.answered += 1

    def close(self):
        """Stop."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
