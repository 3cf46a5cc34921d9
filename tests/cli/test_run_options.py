import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from passband.cli.amounts import DURATION, MONEY, TOKENS
from tests.subject.scripted import Reply, Scripted, chat

from .runner import passband

SUITE = """
{"id": "a", "inputs": {"q": "1"}, "reference": "1", "grader_spec": {"kind": "exact_match"}}
{"id": "b", "inputs": {"q": "2"}, "reference": "2", "grader_spec": {"kind": "exact_match"}}
{"id": "c", "inputs": {"q": "3"}, "reference": "3", "grader_spec": {"kind": "exact_match"}}
"""
AGENT = """
import time
from passband.records import Answer, Usage
from passband.subject import Response
def right(view, seed):
    return view.inputs["q"]
def paid(view, seed):
    return Response(output=Answer(b"1"), usage=Usage(input_tokens=6, output_tokens=4, cost_usd=0.25))
def slow(view, seed):
    time.sleep(0.4)
    return view.inputs["q"]
def broken(view, seed):
    raise ConnectionError("no route")
"""


@pytest.fixture(autouse=True)
def _files(tmp_path):
    """Write a suite and an agent into the current folder."""
    (tmp_path / "suite.jsonl").write_text(SUITE.lstrip())
    (tmp_path / "agent.py").write_text(AGENT)


def run(function, *arguments, n=2):
    """Run the suite with one of the agents."""
    return passband("run", "suite.jsonl", "--subject", f"python:agent:{function}", "-n", str(n), "--unsafe", *arguments)


def shown():
    """The newest run as data."""
    return json.loads(passband("show", "latest", "--format", "json").out)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (DURATION, "90", 90),
        (DURATION, "1.5m", 90),
        (DURATION, "2h", 7200),
        (TOKENS, "500k", 500_000),
        (TOKENS, "2M", 2_000_000),
        (TOKENS, "1,000", 1000),
        (MONEY, "$2.50", 2.5),
        (MONEY, "3", 3.0),
    ],
)
def test_amounts_are_written_as_people_do(kind, text, value):
    """Durations, tokens and money take their usual units."""
    assert kind.convert(text, None, None) == value


@pytest.mark.parametrize(("option", "text"), [("time", "soon"), ("tokens", "$3"), ("usd", "-1"), ("time", "0s")])
def test_other_amounts_are_refused(option, text):
    """What is no amount, or none above zero, is a usage error that shows the form."""
    done = run("right", f"--budget-{option}", text)
    assert done.code == 2
    assert text in done.err


def test_a_budget_is_stated_and_kept_and_raised():
    """A budget is said before the start, ends the run with its reason and code 4, and a larger one finishes it."""
    done = run("paid", "--budget-usd", "0.80", "--workers", "6", n=4)
    assert done.code == 4
    assert "budget $0.80" in done.err.splitlines()[1]
    assert "the budget of $0.80 is spent" in done.err
    assert "PARTIAL" in done.out
    drawn = 12 - shown()["errors"]["missing"]
    assert drawn == 3
    again = run("paid", "--budget-usd", "0.80", "--resume", n=4)
    assert again.code == 4
    assert 12 - shown()["errors"]["missing"] == drawn
    rest = run("paid", "--budget-usd", "$10", "--resume", n=4)
    assert rest.code == 0
    assert shown()["cost_usd"] == pytest.approx(3.0)


def test_a_run_that_was_killed_before_it_wrote_is_resumed_by_the_same_command():
    """With --resume a store without any run takes the run as new; one with another run says what differs."""
    done = run("right", "--resume", n=2)
    assert done.code == 0
    assert shown()["errors"]["graded"] == 6
    assert run("right", "--resume", "--seed", "5", n=2).code == 2


def test_ctrl_c_says_how_to_go_on():
    """Ctrl-C keeps what is in flight, exits with 130 and tells the way to resume; resuming ends the run."""
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "passband", "run", "suite.jsonl", "--subject", "python:agent:slow", "-n", "9"),
            *("--unsafe", "--workers", "1"),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PASSBAND_STORE": "s.db"},
    ) as process:
        deadline = time.monotonic() + 60
        while not Path("s.db").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "samples are safe in s.db; go on with the same command and --resume" in err
    assert "Traceback" not in err
    done = run("slow", "--resume", "--store", "s.db", "--workers", "9", n=9)
    assert done.code == 0
    assert "27 samples" in done.out


def test_errored_samples_are_drawn_again_when_asked():
    """A resumed run leaves errored samples alone until it is asked; a run of nothing graded is no result."""
    first = run("broken", "--attempts", "1")
    assert (first.code, first.out.split("  ")[0]) == (4, "NO RESULT")
    assert shown()["errors"]["errored"] == 6
    agent = Path("agent.py")
    # The fault was outside the agent: its code, and so the run, is the same.
    env = agent.read_text()
    done = run("broken", "--resume", "--retry-errored", "--attempts", "1")
    assert (done.code, agent.read_text()) == (4, env)
    assert shown()["errors"]["errored"] == 6
    assert run("broken", "--retry-errored").code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "x"], "NAME=VALUE"),
        (["--set", "x=1", "--set", "x=2"], "twice"),
        (["--set", "x=1"], "has no setting 'x'"),
        (["--record", "a", "--replay", "b"], "exclude"),
        (["--replay", "none.db"], "has no model traffic"),
        (["--record", "r.db"], "has no model traffic"),
        (["--record", "r.db", "--executor", "ray"], "local executor alone"),
        (["--attempts", "0"], "attempts"),
        (["--until-width", "1e-300"], "--until-width"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    """Wrong settings are refused before anything is drawn."""
    done = run("right", *arguments)
    assert done.code in {2, 4}
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not list(Path().glob("*.db"))


def test_a_chat_model_from_the_command_line():
    """A model behind a server that stumbles is evaluated, priced, recorded, and replayed without it."""
    Path("prices.toml").write_text('["*"]\ninput = 1.0\noutput = 1.0\n')

    def script(number, _path, body):
        if number % 3 == 1:
            return Reply({}, status=429, headers={"Retry-After": "0.01"})
        return chat(body["messages"][-1]["content"].split()[-1])

    common = ["-n", "3", "--set", "prices=prices.toml", "--set", "max_tokens=100", "--unsafe", "--format", "json"]
    with Scripted(script) as server:
        subject = f"chat:parrot@{server.url}"
        live = passband("run", "suite.jsonl", "--subject", subject, "--record", "r.db", "--store", "a.db", *common)
    assert live.code == 0, live.err
    assert "at most" in live.err
    assert "$" in live.err
    summary = json.loads(live.out)
    assert summary["pass_at_1"]["value"] == 1.0
    assert summary["tokens"] == 9 * 18
    assert summary["cost_usd"] == pytest.approx(9 * 18e-6)
    assert server.answered >= 9
    again = passband("run", "suite.jsonl", "--subject", subject, "--replay", "r.db", "--store", "b.db", *common)
    assert again.code == 0, again.err
    assert json.loads(again.out)["run_id"] == summary["run_id"]


def test_a_refused_key_stops_at_once():
    """A server that refuses the key ends the run at its first answer, with one line and nothing stored."""
    with Scripted(lambda *_: Reply({"error": "bad key"}, status=401)) as server:
        subject = f"chat:m@{server.url}"
        done = passband("run", "suite.jsonl", "--subject", subject, "-n", "50", "--workers", "2", "--unsafe")
    assert done.code == 4
    assert "HTTP 401" in done.err
    assert len(server.requests) <= 4


def test_a_budget_of_tokens_says_whose_tokens():
    """Before it starts, a run of a subject with no ceiling says that its tokens are those that are reported."""
    done = run("right", "--budget-tokens", "9k", "--dry-run")
    assert "budget 9,000 tokens, as far as the subject reports them" in done.out


@pytest.mark.parametrize("subject", ["chat:m@http://127.0.0.1:9/v1", "command:true"])
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_budget_in_dollars_without_a_price_leaves_no_run(subject, more):
    """A model without a price and a command, which never has one, are refused before the store is made."""
    done = passband("run", "suite.jsonl", "--subject", subject, "--budget-usd", "1", *more)
    assert done.code == 2
    assert "the price of a sample is not known" in done.err
    assert not Path("passband.db").exists()


def test_more_samples_than_a_run_can_have_leave_no_run():
    """A number of samples beyond all memory is a usage error in one line."""
    done = run("right", n=99999999999)
    assert done.code == 2
    assert "samples of 3 cases are more than the 100,000,000 of one run" in done.err
    assert not Path("passband.db").exists()


def test_a_bound_above_nothing_does_not_show_as_nothing():
    """The most that a cheap run can cost is said in as many digits as it takes."""
    Path("prices.toml").write_text('["*"]\ninput = 0.1\noutput = 0.1\n')
    settings = ["--set", "prices=prices.toml", "--set", "max_tokens=1", "--dry-run"]
    done = passband("run", "suite.jsonl", "--subject", "chat:m@http://127.0.0.1:9/v1", "-n", "1", *settings)
    assert done.code == 0, done.err
    assert re.search(r"at most \d\d\d tokens = \$0\.0000\d\d\n", done.out)
