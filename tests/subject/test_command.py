from pathlib import Path

import pytest

from passband.errors import UsageError
from passband.records import AnswerFormat
from passband.subject import CaseView, SubjectFault, load_subject

WORKSPACE = {"a.txt": b"one\n", "tool.sh": b"echo theirs >> a.txt\n"}
VIEW = CaseView(id="c", inputs={"issue": "mend it"}, workspace=WORKSPACE)


def script(text, name="agent.sh", mode=0o755):
    """Write a shell script into the current folder, which is not a case's workspace."""
    Path(name).write_text(f"#!/bin/sh\n{text}\n")
    Path(name).chmod(mode)


def ask(command, **settings):
    """Ask a command once."""
    return load_subject(f"command:{command}", settings=settings).sample(VIEW, 7)


def fault(command, **settings):
    """Ask a command that has no answer."""
    with pytest.raises(SubjectFault) as caught:
        ask(command, **settings)
    return caught.value


@pytest.mark.parametrize("code", [1, 3, 125])
def test_an_error_code_and_no_change_is_no_answer(code):
    """A command that fails and leaves nothing is errored and tried again, with its last words as the cause."""
    script(f"echo starting\necho 'no key: set MY_KEY' >&2\nexit {code}")
    error = fault("./agent.sh")
    assert error.retryable
    assert f"left no change and ended with code {code}: starting · no key: set MY_KEY" in str(error)


def test_an_error_code_and_a_change_is_an_answer():
    """What a failed command leaves is graded: its work is there, whatever it said at the end."""
    script("echo two >> a.txt\nexit 1")
    found = ask("./agent.sh")
    assert found.output.format is AnswerFormat.UNIFIED_DIFF
    assert b"+two" in found.output.payload
    assert found.trace[0]["returncode"] == 1


def test_no_change_without_an_error_is_what_it_prints():
    """A command that ends well and leaves nothing has answered with its output."""
    script("echo 42")
    assert ask("./agent.sh").output.payload == b"42\n"


def test_a_crash_is_no_answer_and_a_spent_budget_is_one():
    """A signal is the program's failure to work; the kills of the budgets are part of the harness."""
    script("kill -SEGV $$")
    assert "ended with signal 11" in str(fault("./agent.sh"))
    script("kill -KILL $$")
    assert ask("./agent.sh").trace[0]["returncode"] == -9
    script("sleep 60")
    assert ask("./agent.sh", wall_s="0.5").trace[0]["timed_out"]


@pytest.mark.parametrize(
    "command", ["./agent.sh", "sh agent.sh", "sh ./agent.sh", "{here}/agent.sh", "sh {here}/agent.sh"]
)
def test_the_callers_own_script_is_shown(command):
    """A script named as in a shell, from where the caller stands, runs in the case's workspace."""
    script("echo two >> a.txt")
    assert b"+two" in ask(command.format(here=Path.cwd())).output.payload


def test_a_script_is_shown_alone_and_read_only():
    """What lies beside a script stays out of sight, and the script itself can't be changed."""
    Path("hidden.txt").write_text("the answers")
    script('cat "$(dirname "$0")/hidden.txt" && echo leaked > leak.txt\n{ echo more >> "$0"; } 2> /dev/null\necho end')
    before = Path("agent.sh").read_bytes()
    found = ask("./agent.sh")
    assert found.trace[0]["output"].endswith("end\n")
    assert b"answers" not in found.output.payload
    assert Path("agent.sh").read_bytes() == before


def test_a_word_that_is_a_file_of_the_case_means_that_one():
    """Where the case has a file of that name too, an argument is the case's; the program itself is the caller's."""
    script("echo mine >> a.txt", name="tool.sh")
    assert b"+theirs" in ask("sh tool.sh").output.payload
    assert b"+mine" in ask("./tool.sh").output.payload


def test_another_script_is_another_subject():
    """The content of the caller's files that a command names is part of what identifies it."""
    script("exit 0")
    first = load_subject("command:./agent.sh").params
    script("exit 1")
    second = load_subject("command:./agent.sh").params
    assert first["files"].keys() == {"./agent.sh"}
    assert first["files"] != second["files"]
    assert "files" not in load_subject("command:true").params


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("nosuchprogram", ["No such file", "--set mounts=FOLDER"]),
        ("agent.sh", ["for the file here write ./agent.sh"]),
        ("./badline", ["its interpreter must be among them", "--set mounts=FOLDER"]),
        ("./forbidden", ["chmod 755"]),
        ("sh -c nosuchprogram", ["could not be started", "not found", "--set mounts=FOLDER"]),
    ],
)
def test_what_can_not_start_says_what_to_do(command, words):
    """A program that is not shown, or may not be executed, ends the run with the way out."""
    script("exit 0")
    script("exit 0", name="forbidden", mode=0o644)
    Path("badline").write_text("#!/no/such/interpreter\n")
    Path("badline").chmod(0o755)
    error = fault(command)
    assert not error.retryable
    assert all(word in str(error) for word in words)


def test_a_missing_module_says_what_to_do():
    """A script that needs more than itself is errored with the module's name and the setting that shows it."""
    Path("agent.py").write_text("import my_helper\n")
    error = fault("python3 agent.py")
    assert "No module named 'my_helper'" in str(error)
    assert "--set mounts=FOLDER" in str(error)


def test_what_no_answer_can_carry_is_left_out_and_named():
    """A repository of the agent's own, links and names of no system end no run: the rest is the answer."""
    script(
        "mkdir .git; echo x > .git/HEAD; ln -s / root; mkfifo pipe; printf x > \"$(printf 'a\\377')\"\n"
        "printf x > 'new\nline'; echo two >> a.txt"
    )
    found = ask("./agent.sh")
    assert b"+two" in found.output.payload
    assert found.output.payload.count(b"diff --git") == 1
    assert found.trace[0]["left_out"] == [".git/HEAD", "a\\udcff", "new\nline", "pipe", "root"]


def test_a_gigabyte_is_not_carried():
    """What no grader takes is cut to a little more than that: the answer is refused all the same."""
    script("head -c 100000000 /dev/zero > big; head -c 100000000 /dev/zero > more")
    payload = ask("./agent.sh").output.payload
    assert 8 * 2**20 < len(payload) < 64 * 2**20


@pytest.mark.parametrize(
    ("name", "value"),
    [("wall_s", "1e99"), ("wall_s", "nan"), ("cpu_s", "inf"), ("mem_mb", "99999999999"), ("pids", "0"), ("pids", "x")],
)
def test_settings_no_system_takes_are_usage_errors(name, value):
    """Endless and impossible limits are refused before anything runs."""
    with pytest.raises(UsageError, match="--set"):
        load_subject("command:true", settings={name: value})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mounts": "/:/no/such/folder"}, "mounts=/no/such/folder: there is no such file or folder"),
        ({"upstream": "localhost:8000"}, "upstream=localhost:8000: is no base URL"),
        ({"upstream": "http:///v1"}, "upstream=http:///v1: is no base URL"),
    ],
)
def test_what_a_command_is_to_be_given_must_be_there(settings, words):
    """A mount that is not there, or an address that is none, is refused before anything runs."""
    with pytest.raises(UsageError, match=words):
        load_subject("command:true", settings=settings)


def test_the_answer_is_standard_output_alone():
    """What a command says on standard error is in the trace under that name, and never part of the answer."""
    patch = "\\055-- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-one\\n+two\\n"
    script(f"echo 'DEBUG: warming up' >&2; printf '{patch}' >&2; echo Paris")
    found = ask("./agent.sh")
    assert found.output.payload == b"Paris\n"
    assert found.trace[0]["output"] == "Paris\n"
    assert found.trace[0]["stderr"].startswith("DEBUG: warming up\n--- a/a.txt\n")


def test_of_a_long_standard_error_the_end_is_kept():
    """The trace holds the last 64 KiB of it, and a mark that there was more."""
    script("yes warning | head -c 1000000 >&2; echo last >&2; echo 42")
    said = ask("./agent.sh").trace[0]["stderr"]
    assert said.startswith("…")
    assert said.endswith("last\n")
    assert len(said) == 64 * 1024 + 1


def test_an_agent_that_removes_its_workspace_has_deleted_all():
    """The folder itself gone is an answer, in which every file is deleted; no way to go without a grade."""
    script('cd /; rm -rf "$OLDPWD"')
    payload = ask("./agent.sh").output.payload
    assert payload.count(b"deleted file mode") == len(WORKSPACE)
