"""Real agents against a scripted model: opt in with PASSBAND_TEST_AGENTS, a folder as docs/how-to/evaluate-agents.md
makes it (a virtual environment with mini-swe-agent, node_modules with the others).
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from passband.records import Usage
from passband.run import open_store
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

SETTINGS = {"network": "true", "mounts": FOLDER, "pids": "1000", "mem_mb": "100000", "file_mb": "2048"}


def write_suite(folder):
    """A suite of two cases with hidden tests, which one repair solves, and a third that it does not."""
    (folder / "suite.toml").write_text('name = "sums"\ndescription = "Small."\n')
    for name, result in (("first", 3), ("second", 3), ("third", 4)):
        case = folder / "cases" / name
        (case / "repo").mkdir(parents=True)
        (case / "hidden/tests").mkdir(parents=True)
        (case / "case.toml").write_text(
            'FAIL_TO_PASS = ["tests/test_calc.py::test_add"]\n[inputs]\nissue = "add subtracts. Repair it."\n'
            '[grader_spec]\nallowed_files = ["calc.py"]\n'
        )
        (case / "repo/calc.py").write_bytes(VIEW.workspace["calc.py"])
        (case / "hidden/tests/test_calc.py").write_text(
            f"from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == {result}\n"
        )
        (case / "reference.patch").write_text(
            "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n"
            f"+    return a + b{' + 1' * (result - 3)}\n"
        )


if FOLDER:

    def test_an_agent_takes_part_in_a_whole_run(monkeypatch, tmp_path):
        """From the command line: two cases solved in every sample, one in none, tokens counted; replayed, the same."""
        command, env, tail = AGENTS["mini-swe-agent"]
        for key, value in env.items():
            monkeypatch.setenv(key, value)
        (tmp_path / "suite").mkdir()
        write_suite(tmp_path / "suite")

        def run(store, upstream, *more):
            settings = SETTINGS | {"env": ",".join(env), "trajectory": "mini-swe-agent", "upstream": upstream}
            subprocess.run(
                [
                    *(sys.executable, "-m", "passband", "run", "suite", "--subject", f"command:{command}", "-n", "2"),
                    *(word for name, value in settings.items() for word in ("--set", f"{name}={value}")),
                    *("--workers", "2", "--store", store, *more),
                ],
                cwd=tmp_path,
                check=True,
            )
            with open_store(str(tmp_path / store)) as opened:
                return list(opened.samples(opened.find("latest").run_id))

        with Scripted(script(REPAIR)) as server:
            upstream = server.url.removesuffix("/v1") + tail
            first = run("first.db", upstream, "--record", "traffic.db")
        assert [(case, sample.index, sample.verdict.passed) for case, sample in first] == [
            (case, index, case < 2) for case in range(3) for index in range(2)
        ]
        assert all(sample.usage.output_tokens >= 14 for _, sample in first)
        again = run("again.db", upstream, "--replay", "traffic.db")
        assert [(c, s.index, s.output, s.verdict) for c, s in again] == [
            (c, s.index, s.output, s.verdict) for c, s in first
        ]

    @pytest.mark.parametrize("name", sorted(AGENTS))
    def test_an_agent_solves_a_case_and_replays(name, monkeypatch, tmp_path):
        """An agent in the sandbox repairs a file; its trajectory and tokens are read; replayed, it does so again."""
        command, env, tail = AGENTS[name]
        for key, value in env.items():
            monkeypatch.setenv(key, value)
        settings = SETTINGS | {"env": ",".join(env), "trajectory": name}
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
