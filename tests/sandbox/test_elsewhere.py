"""The plain tier on a system without Linux's calls; see :mod:`tests.sandbox.elsewhere` for what that shows."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SYSTEM = Path(__file__).with_name("elsewhere.py")
HIDE = "mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec "
NOWHERE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", HIDE + '"$@"', "sh")
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
UNITTEST = """import unittest
from calc import add

class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
LIMITS = {"wall_s": 2, "cpu_s": 5, "mem_mb": 512, "file_mb": 8, "pids": 64, "output_kb": 64}
RIGHT = "def add(a, b):\n    return a + b\n"
ROWS = {
    "split": (TEST, "test.py::test_add", {"tier": "split"}),
    "pytest": (TEST, "test.py::test_add", {"tier": "pytest"}),
    "command": (
        UNITTEST,
        "test.AddTest.test_add",
        {"tier": "command", "command": ["{python}", "-m", "unittest", "-v", "test"], "results": "unittest"},
    ),
}
# Leaves a process behind, and its number as the name of a file: an answer may run more than once.
LINGER = """import os, time
child = os.fork()
if not child:
    time.sleep(600)
    os._exit(0)
open({folder!r} + f"/{{child}}", "w").close()
"""


@functools.cache
def nowhere() -> tuple[str, ...]:
    """Return what makes /proc and /sys empty for a command, where this machine lets a test do so."""
    try:
        done = subprocess.run([*NOWHERE, "sh", "-c", "test ! -e /proc/self"], capture_output=True, check=False)
    except OSError:
        return ()
    return NOWHERE if done.returncode == 0 else ()


def elsewhere(*words: str, cwd: Path, platform: str = "darwin") -> subprocess.CompletedProcess[str]:
    """Run ``passband``, or a script, on a look-alike of another system."""
    argv = [*nowhere(), sys.executable, str(SYSTEM), platform, *words]
    # Deep and behind a link, as there.
    deep = cwd / "private" / ("T" * 60)
    deep.mkdir(parents=True, exist_ok=True)
    link = cwd / "tmp"
    if not link.exists():
        link.symlink_to(deep)
    env = {**os.environ, "TMPDIR": str(link)}
    return subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120)


def gone(pid: int) -> bool:
    """Wait until a process is dead; a corpse that nobody has waited for is."""
    for _ in range(500):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def suite(tmp_path):
    """Make a suite with a case for each tier of the grader."""
    lines = []
    for name, (test, unit, spec) in ROWS.items():
        case = {
            "id": name,
            "inputs": {},
            "grader_spec": {"kind": "execution", "fail_to_pass": [unit], "limits": LIMITS, **spec},
            "workspace": {"calc.py": RIGHT.replace("+", "-")},
            "hidden": {"test.py": test},
            "reference": json.dumps({"calc.py": RIGHT}),
        }
        lines.append(json.dumps(case))
    path = tmp_path / "suite.jsonl"
    path.write_text("\n".join(lines))
    return path


def grade(suite: Path, answers: dict[str, str]) -> list[dict[str, object]]:
    """Grade each answer in each tier, without isolation; rows in the order of tiers, then answers."""
    lines = [
        json.dumps({"id": f"{case}-{name}", "case": case, "format": "files", "payload": {"calc.py": text}})
        for case in ROWS
        for name, text in answers.items()
    ]
    (suite.parent / "answers.jsonl").write_text("\n".join(lines))
    words = ("grade", str(suite), "--answers", "answers.jsonl", "--unsafe", "--format", "json")
    done = elsewhere(*words, cwd=suite.parent)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_look_alike_has_nothing_of_linux(tmp_path):
    """The names of Linux are gone in it, and so is /proc, and Linux's kind of socket."""
    script = tmp_path / "look.py"
    script.write_text(
        "import ctypes, os, select, signal, socket, sys\n"
        "print(sys.platform, [hasattr(m, n) for m, n in ((os, 'memfd_create'), (os, 'pidfd_open'), (select, 'epoll'),"
        " (signal, 'pidfd_send_signal'), (socket, 'SO_PEERCRED'), (ctypes.CDLL(None), 'prctl'))])\n"
        "pair = lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
        "for attempt in (pair, lambda: open('/proc/self/stat')):\n"
        "    try:\n        attempt()\n    except OSError as error:\n        print(error)\n"
    )
    said = elsewhere("call", str(script), cwd=tmp_path).stdout.splitlines()
    assert said[0] == f"darwin {[False] * 6}"
    assert [line.partition("] ")[2].partition(":")[0] for line in said[1:]] == [
        "Protocol not supported",
        "No such file or directory",
    ]


def test_without_unsafe_it_is_refused(suite):
    """The doctor finds no tier, and grading is refused with what to do."""
    doctor = elsewhere("doctor", cwd=suite.parent)
    assert doctor.returncode == 4
    assert doctor.stdout.startswith("NONE ")
    (suite.parent / "answer.json").write_text(json.dumps({"calc.py": RIGHT}))
    done = elsewhere("grade", str(suite), "split", "answer.json", cwd=suite.parent)
    assert done.returncode == 4
    assert "no Linux, this is darwin" in done.stdout
    assert "docs/how-to/use-another-system.md" in done.stdout


@pytest.mark.parametrize("words", [("demo",), ("demo", "--unsafe")])
def test_windows_is_refused(words, tmp_path):
    """Without a fork there is nothing to be had, whatever is said; the error is one line and says what to do."""
    done = elsewhere(*words, cwd=tmp_path, platform="win32")
    assert done.returncode == 4
    assert "this is win32; run passband in a Linux container" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_answers_are_graded_in_every_tier(suite):
    """Right and wrong answers, those that hang, flood, crash and grow, in tiers 1, 2 and 3: each gets its verdict."""
    answers = {
        "right": RIGHT,
        "wrong": RIGHT.replace("+", "*"),
        "hangs": "import time\ntime.sleep(600)\n",
        "floods": f"for _ in range(3000):\n    print('x' * 1000)\n\n\n{RIGHT}",
        "exits": "import os\nos._exit(0)\n",
        "dies": "import os\nos.kill(os.getpid(), 9)\n",
    }
    rows = grade(suite, answers)
    for case, tier in (("split", "split"), ("pytest", "pytest"), ("command", "command")):
        mine = {str(row["id"]).partition("-")[2]: row for row in rows if str(row["id"]).startswith(f"{case}-")}
        assert {row["tier"] for row in mine.values()} == {f"execution/{tier}@process"}
        # What it floods is its standard output; in tier 3 unittest's results stand in the other stream.
        assert {n for n, row in mine.items() if row["passed"]} == {"right", "floods"}
        assert "time" in str(mine["hangs"]["detail"])


def test_what_outlives_its_answer_is_ended(suite):
    """A process that an answer leaves behind is dead after the verdict, in every tier."""
    left = suite.parent / "left"
    left.mkdir()
    (suite.parent / "answer.json").write_text(json.dumps({"calc.py": LINGER.format(folder=str(left)) + RIGHT}))
    for count, case in enumerate(ROWS, 1):
        done = elsewhere("grade", str(suite), case, "answer.json", "--unsafe", cwd=suite.parent)
        assert done.returncode == 0, done.stdout + done.stderr
        pids = [int(file.name) for file in left.iterdir()]
        assert len(pids) >= count
        assert all(gone(pid) for pid in pids)


def test_a_small_run_says_what_it_ran_in(suite):
    """A run from end to end: the summary and the fingerprint name the tier."""
    agent = f'import json\n\n\ndef answer(view, seed):\n    return json.dumps({{"calc.py": {RIGHT!r}}})\n'
    (suite.parent / "agent.py").write_text(agent)
    words = ("run", str(suite), "--subject", "python:agent:answer", "-n", "2", "--unsafe", "--format", "json")
    done = elsewhere(*words, cwd=suite.parent)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["harness"]["sandbox_tier"] == "process"
    shown = elsewhere("show", "latest", cwd=suite.parent)
    assert "candidates ran without isolation (--unsafe)" in shown.stdout
    assert "100.0" in shown.stdout


COMMANDS = """
import json
from passband import sandbox
from passband.records import Limits
from passband.sandbox import run_command

def run(script, **limits):
    limits = Limits(**{"wall_s": 20, "cpu_s": 5, "mem_mb": 512, "file_mb": 1, "pids": 64, "output_kb": 64, **limits})
    r = run_command(["sh", "-c", script], limits=limits, files={"given": b"x"}, unsafe=True)
    return {"code": r.returncode, "late": r.timed_out, "out": r.output.decode(), "cut": r.truncated,
            "files": sorted(r.files_after), "error": r.error, "fault": r.fault and r.fault.detail}

print(json.dumps(%s))
"""


def commands(tmp_path: Path, expression: str) -> dict[str, object]:
    """Evaluate an expression with ``run`` on the look-alike."""
    script = tmp_path / "commands.py"
    script.write_text(COMMANDS % expression)
    done = elsewhere("call", str(script), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_command_and_the_tree_it_leaves(tmp_path):
    """Files come back; the folder is where it is said to be, and short enough for a socket in it."""
    told = commands(tmp_path, """run("echo hi > made; rm given; pwd; cd $TMPDIR; pwd -P; echo $TMPDIR")""")
    assert (told["code"], told["files"], told["fault"]) == (0, ["made"], None)
    repo, real, named = str(told["out"]).split()
    assert real == named
    assert Path(repo).parent == Path(named).parent
    assert len(f"{named}/pymp-12345678/listener-12345678") < 104  # sun_path of macOS
    assert not Path(repo).exists()


def test_commands_meet_their_limits(tmp_path):
    """Time, output, file size and CPU time are bounded, and what a command leaves in its group ends with it."""
    pid = tmp_path / "pid"
    told = commands(
        tmp_path,
        '{"late": run("echo 1 > a; sleep 600", wall_s=3), "cut": run("yes", wall_s=1),'
        ' "big": run("head -c 9000000 /dev/zero > big"), "cpu": run("while :; do :; done", cpu_s=1),'
        f' "left": run("sleep 600 & echo $! > {pid}"), "zero": run("kill -9 0"),'
        ' "parent": run("kill -9 $PPID; sleep 600"), "after": run("echo fine")}',
    )
    assert told["late"]["late"]
    assert told["late"]["files"] == ["a", "given"]
    assert told["cut"]["cut"]
    assert len(told["cut"]["out"]) == 64 * 1024
    assert told["big"]["code"] != 0
    assert told["cpu"]["code"] in {-9, -24}
    assert gone(int(pid.read_text()))
    assert told["zero"]["code"] == -9
    assert "before the tree was read" in told["parent"]["error"]
    assert told["after"]["out"] == "fine\n"


def test_runs_end_with_their_server(tmp_path):
    """A run whose server is killed under it ends too, by the end of a pipe; the host hears that the server is gone."""
    pid = tmp_path / "pid"
    server = "next(iter(sandbox._servers._kept.values()))._server._process.pid"
    told = commands(
        tmp_path, f'[run("true"), run(f"echo $$ > {pid}; kill -9 {{{server}}}; sleep 600"), run("echo fine")]'
    )
    assert told[1]["fault"] == "a sandbox server died under a run"
    assert gone(int(pid.read_text()))
    assert told[2]["out"] == "fine\n"
