"""Real agents against a scripted model: opt in with PASSBAND_TEST_AGENTS, a folder as docs/how-to/evaluate-agents.md
makes it (a virtual environment with mini-swe-agent, node_modules with the others).
"""

import os
from pathlib import Path

import pytest

from passband.records import Usage
from passband.subject import CaseView, load_subject
from passband.subject.agents import read_trajectory
from passband.subject.traffic import ResponseStore

from .agent_server import script
from .scripted import Scripted

FOLDER = os.environ.get("PASSBAND_TEST_AGENTS", "")
MODULES = f"{FOLDER}/node_modules"
VIEW = CaseView(
    id="add",
    inputs={"issue": "add subtracts. Repair it."},
    workspace={"calc.py": b"def add(a, b):\n    return a - b\n"},
)
REPAIR = "sed -i 's/a - b/a + b/' calc.py"
OPENCODE = (
    '{"provider": {"s": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "{env:OPENAI_BASE_URL}",'
    ' "apiKey": "x"}, "models": {"m": {}}}}, "autoupdate": false, "share": "disabled"}'
)
PROVIDER = 'model_providers.s={name="s", base_url="{base_url}", wire_api="responses", env_key="OPENAI_API_KEY"}'

AGENTS = {
    "mini-swe-agent": (
        f"{FOLDER}/bin/mini -m openai/m -t '{{issue}}' -y --exit-immediately -o trajectory.json",
        {"OPENAI_API_KEY": "x", "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"}
        | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "MSWEA_SILENT_STARTUP": "1"},
        "/v1",
    ),
    "codex": (
        (
            f"node {MODULES}/@openai/codex/bin/codex.js exec --json --skip-git-repo-check"
            f" --dangerously-bypass-approvals-and-sandbox -m m -c model_provider=s -c '{PROVIDER}' '{{issue}}'"
        ),
        {"OPENAI_API_KEY": "x"},
        "/v1",
    ),
    "opencode": (
        f"{MODULES}/opencode-linux-x64/bin/opencode run --format json -m s/m '{{issue}}'",
        {"OPENCODE_CONFIG_CONTENT": OPENCODE},
        "/v1",
    ),
    "claude": (
        (
            f"{MODULES}/@anthropic-ai/claude-code-linux-x64/claude -p '{{issue}}' --output-format stream-json --verbose"
            " --max-turns 5 --dangerously-skip-permissions"
        ),
        {"ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"},
        "",
    ),
}

if FOLDER:
    # codex starts processes in a way that the sandbox's system call filter refuses: its recipe runs outside of it.
    @pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"codex"}))
    def test_an_agent_solves_a_case_and_replays(name, monkeypatch, tmp_path):
        """An agent in the sandbox repairs a file; its trajectory and tokens are read; replayed, it does so again."""
        command, env, tail = AGENTS[name]
        for key, value in env.items():
            monkeypatch.setenv(key, value)
        settings = {
            "network": "true",
            "mounts": FOLDER,
            "env": ",".join(env),
            "trajectory": name,
            "pids": "1000",
            "mem_mb": "100000",
            "file_mb": "2048",
        }
        with Scripted(script(REPAIR)) as server:
            upstream = server.url.removesuffix("/v1") + tail
            with ResponseStore(tmp_path / "r.db") as traffic:
                subject = load_subject(
                    f"command:{command}", settings=settings | {"upstream": upstream}, traffic=traffic
                )
                first = subject.sample(VIEW, 5)
        assert b"+    return a + b" in first.output.payload, first.trace[0]
        assert first.usage.output_tokens >= 14
        assert first.usage.cost_usd is None
        assert len(first.trace) > 2
        with ResponseStore(tmp_path / "r.db", replay=True) as traffic:
            subject = load_subject(f"command:{command}", settings=settings | {"upstream": upstream}, traffic=traffic)
            again = subject.sample(VIEW, 5)
        assert again.output == first.output


LINES = {
    "codex": (
        (
            b'{"type":"thread.started"}\nnot json\n'
            b'{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}\n'
            b'{"type":"turn.completed","usage":{"input_tokens":22,"cached_input_tokens":5,"output_tokens":14}}\n'
        ),
        {},
    ),
    "opencode": (
        (
            b'{"type":"text","part":{"text":"done"}}\n{"type":"step_finish","part":{"tokens":{"input":12,"output":10,'
            b'"reasoning":4,"cache":{"read":10,"write":0}},"cost":99}}\n'
        ),
        {},
    ),
    "claude": (
        (
            b'{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}\n'
            b'{"type":"result","result":"done","total_cost_usd":99,"usage":{"input_tokens":12,'
            b'"cache_read_input_tokens":10,"output_tokens":14}}\n'
        ),
        {},
    ),
    "mini-swe-agent": (
        b"",
        {
            "trajectory.json": b'{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"",'
            b'"extra":{"cost":99,"response":{"usage":{"prompt_tokens":22,"completion_tokens":14}}}}]}'
        },
    ),
}


@pytest.mark.parametrize("kind", LINES)
def test_accounts_of_agents_are_read(kind):
    """Each format gives events and tokens, and never the cost the agent believes in."""
    events, usage = read_trajectory(kind, *LINES[kind])
    assert events
    assert usage == Usage(input_tokens=22, output_tokens=14)


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize(
    "output", [b"", b"{", b"[]\n{}\n", b'{"type":"result","usage":{"input_tokens":"many"}}', b"\xff\n"]
)
def test_no_account_is_no_error(kind, output):
    """An agent that prints something else leaves no tokens, and no exception."""
    _, usage = read_trajectory(kind, output, {"trajectory.json": output})
    assert usage == Usage()


def test_the_docs_know_every_recipe():
    """The how-to names each agent whose account can be read."""
    text = (Path(__file__).parents[2] / "docs/how-to/evaluate-agents.md").read_text()
    assert all(f"trajectory={name}" in text for name in AGENTS)
