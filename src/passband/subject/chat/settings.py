"""What can be set about a chat subject."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from passband.errors import UsageError
from passband.subject.chat.transport import SDKS

__all__ = ["ChatSettings"]

_RANGES = {
    "temperature": (0.0, 100.0),  # servers refuse what they do not take, most of them above 2
    "top_p": (0.0, 1.0),
    "max_tokens": (1, 2**31),
    "token_budget": (1, 2**53),
    "timeout_s": (0.001, 2.0**22),
    "attempts": (1, 1000),
    "requests_per_minute": (1e-3, 1e9),
    "tokens_per_minute": (1e-3, 1e15),
}


class ChatSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything about a chat subject but its model and address."""

    api: Literal["chat", "responses", "messages"] = "chat"
    """Dialect: OpenAI chat completions, OpenAI responses, Anthropic messages."""
    sdk: Literal["", "openai", "anthropic", "litellm"] = ""
    """Send requests through this SDK, without its retries; where empty, by our own client."""
    mode: Literal["auto", "answer", "patch", "agent"] = "auto"
    """One answer in text; one patch in text; or tools in many turns. ``auto``: a patch where there is a workspace."""
    template: str = ""
    """File with the prompt; the package's own for the mode where empty."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = 4096
    """Output tokens of one turn."""
    send_seed: bool = True
    """Send the sample's seed, where the dialect has one (31 bits of it)."""
    logprobs: bool = False
    stream: bool = False
    turns: int = 30
    """Turns of an agent."""
    token_budget: int = 200_000
    """Input and output tokens of all of an agent's turns."""
    timeout_s: float = 600.0
    """Of a request, from its sending to the last byte of its reply: looked at with each piece that comes. And of each
    wait for a connection or for more."""
    attempts: int = 6
    """Requests sent for one turn, at most."""
    concurrency: int = 256
    """Requests under way at once, at most; the server's refusals lower it."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    key_env: str = ""
    """Environment variable with the key; OPENAI_API_KEY or ANTHROPIC_API_KEY by the dialect where empty."""
    prices: Path | None = None
    """Price table; without one, costs are not known."""

    def __post_init__(self) -> None:
        if self.sdk and self.api not in SDKS[self.sdk]:
            known = " or ".join(f"--set api={api}" for api in SDKS[self.sdk])
            raise UsageError(f"does not speak {self.api!r}", where=f"--set sdk={self.sdk}", fix=f"add {known}")
        for name in ("max_tokens", "turns", "token_budget", "timeout_s", "attempts", "concurrency"):
            if not getattr(self, name) > 0:
                raise UsageError(f"is {getattr(self, name)}, not above zero", where=f"--set {name}")
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise UsageError(f"is {value:g}, not between {low:g} and {high:g}", where=f"--set {name}")
