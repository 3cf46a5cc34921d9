from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from passband.errors import UsageError
from passband.records import Limits
from passband.sandbox import detect, run_command
from passband.sandbox.setting import base_python

SHORT = Limits(wall_s=20, cpu_s=5, mem_mb=512, file_mb=8, pids=32, output_kb=64)


def test_returns_the_tree_the_command_leaves():
    """New, changed and deleted files are all seen afterwards; untouched ones are there."""
    script = "echo new > made/n.txt; echo x >> keep.txt; rm gone.txt"
    result = run_command(
        ["sh", "-c", f"mkdir made; {script}"],
        files={"keep.txt": b"a\n", "gone.txt": b"", "deep/er.txt": b"\xff\x00"},
    )
    assert result.fault is None
    assert result.returncode == 0
    assert dict(result.files_after) == {"keep.txt": b"a\nx\n", "made/n.txt": b"new\n", "deep/er.txt": b"\xff\x00"}


def test_words_and_environment_arrive_as_they_are():
    """Nothing in a command's words or environment, such as an issue's text, is taken for a placeholder."""
    text = "{box} {repo} $HOME %s ~ *"
    result = run_command(["sh", "-c", 'printf "%s|%s" "$1" "$WORD"', "sh", text], env={"WORD": text})
    assert result.output == f"{text}|{text}".encode()


def test_links_are_named_and_not_followed():
    """A symbolic link out of the workspace is listed as skipped, never read."""
    result = run_command(["sh", "-c", "ln -s /etc/passwd p; mkfifo f; ln -s /etc d"])
    assert dict(result.files_after) == {}
    assert sorted(result.skipped) == ["d", "f", "p"]


def test_output_is_cut_and_said_so():
    """Endless output neither blocks nor grows beyond the limit."""
    result = run_command(["sh", "-c", "yes"], limits=Limits(wall_s=1, output_kb=64))
    assert result.timed_out
    assert result.truncated
    assert len(result.output) == 64 * 1024
    assert result.returncode is None


def test_a_timeout_keeps_the_tree_so_far():
    """What was written before the clock ran out comes back."""
    result = run_command(["sh", "-c", "echo 1 > a; sleep 60"], limits=Limits(wall_s=3))
    assert result.timed_out
    assert dict(result.files_after) == {"a": b"1\n"}


def test_nothing_of_the_environment_gets_in(monkeypatch):
    """The command sees constants and what it is given, not this process's variables."""
    monkeypatch.setenv("PASSBAND_SECRET", "hunter2")
    result = run_command(["env"], env={"GIVEN": "yes"})
    assert b"hunter2" not in result.output
    assert b"GIVEN=yes" in result.output
    assert b"HOME=/box/tmp" in result.output


def test_private_files_are_not_there(tmp_path):
    """A file of the host that is not mounted cannot be read; one that is can, and cannot be written."""
    (tmp_path / "secret").write_text("hunter2")
    tmp_path.chmod(0o755)
    path = str(tmp_path / "secret")
    assert b"hunter2" not in run_command(["cat", path]).output
    shown = run_command(["sh", "-c", f"cat {path}; echo no > {path}"], mounts=[str(tmp_path)])
    assert b"hunter2" in shown.output
    assert (tmp_path / "secret").read_text() == "hunter2"


def test_the_suite_that_ships_with_us_is_hidden():
    """The folder of this package, with its references and hidden tests, cannot be seen."""
    import passband

    folder = Path(passband.__file__).parent
    result = run_command(["sh", "-c", f"ls {folder} {folder}/suite/builtin/cases"])
    assert b"add-bug" not in result.output


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"a": b"", "a/b": b""}, "a/b"),
        ({"x" * 300: b""}, "name too long"),
        ({"a\0b": b""}, "embedded null"),
        ({"\ud800": b""}, "surrogates"),
        ({"big": bytes(9 << 20)}, ""),
    ],
)
def test_a_tree_that_cannot_be_is_the_commands_problem(files, word):
    """Files that the file system refuses are an error of the caller's tree, not a fault of the sandbox."""
    result = run_command(["true"], files=files, limits=SHORT)
    assert result.fault is None
    if word:
        assert word in result.error
    else:
        assert result.returncode == 0  # a large tree does not count against the file limit


def test_a_command_that_does_not_exist():
    """A missing program is said, not raised."""
    result = run_command(["no-such-program"])
    assert "no-such-program" in result.error
    assert result.returncode is None


def test_memory_and_files_are_limited():
    """More memory or a larger file than allowed cannot be had."""
    code = "open('big','wb').write(bytes(64<<20))"
    result = run_command([base_python(), "-c", code], limits=SHORT)
    assert result.returncode not in {0, None}
    result = run_command([base_python(), "-c", "bytearray(1 << 30)"], limits=SHORT)
    assert b"MemoryError" in result.output


def test_cpu_time_is_limited():
    """A spinning command dies of its CPU limit long before the clock."""
    result = run_command([base_python(), "-c", "while True: pass"], limits=Limits(wall_s=60, cpu_s=1))
    assert result.returncode == -9
    assert not result.timed_out


def test_a_fork_bomb_is_contained():
    """Processes are limited, and none outlives the run."""
    result = run_command(["sh", "-c", "f() { f | f & }; f; sleep 1"], limits=Limits(wall_s=5, pids=32))
    assert result.fault is None


def test_many_threads_at_once():
    """The module is safe to use from many threads."""
    results = {}

    def work(n: int) -> None:
        results[n] = run_command(["sh", "-c", f"echo {n} > out"]).files_after

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: dict(r) for n, r in results.items()} == {n: {"out": f"{n}\n".encode()} for n in range(12)}


def test_leaks_no_descriptors_and_no_processes():
    """A hundred runs, good and bad, leave as many descriptors open as there were."""
    run_command(["true"])
    before = len(list(Path("/proc/self/fd").iterdir()))
    for n in range(100):
        run_command([["true"], ["no-such-program"], ["false"]][n % 3], files={"a": b""} if n % 2 else {"a\0": b""})
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_detection_tells_what_it_tried():
    """The report names the tier and the outcome of every probe."""
    report = detect()
    assert report.isolated
    assert report.as_dict()["trials"][0]["probes"]
    assert all(all(t["probes"].values()) for t in report.as_dict()["trials"] if t["works"])


def test_no_isolation_only_on_demand():
    """The tier without isolation needs an explicit word."""
    with pytest.raises(UsageError, match="isolates nothing"):
        detect("process")
    with pytest.raises(UsageError, match="no sandbox named"):
        detect("hope")


def test_the_command_line_finds_python():
    """``python3`` on the sandbox's path is the interpreter beneath this one."""
    result = run_command(["python3", "-c", "import sys; print(sys.version_info[:2])"])
    assert result.output.decode().strip() == str(sys.version_info[:2])


def test_standard_error_can_be_kept_apart():
    """Apart, each stream has its own text and its own limit; together they are one text, in order."""
    script = "echo out; echo err >&2; echo more"
    apart = run_command(["sh", "-c", script], apart=True)
    assert (apart.output, apart.errors, apart.truncated) == (b"out\nmore\n", b"err\n", False)
    together = run_command(["sh", "-c", script])
    assert (together.output, together.errors) == (b"out\nerr\nmore\n", b"")


@pytest.mark.parametrize("stream", [1, 2])
def test_two_streams_are_drained_together(stream):
    """More than a pipe holds on one stream, before a word on the other, neither blocks nor is lost beyond the limit."""
    script = f"head -c 1000000 /dev/zero >&{stream}; echo end >&{3 - stream}"
    result = run_command(["sh", "-c", script], limits=SHORT, apart=True)
    assert result.returncode == 0
    assert result.truncated
    found = [result.output, result.errors]
    assert found[stream - 1] == bytes(64 * 1024)
    assert found[2 - stream] == b"end\n"


@pytest.mark.parametrize(
    "script",
    [
        'cd /; rm -rf "$OLDPWD"',
        'cd /; rm -rf "$OLDPWD"; echo x > "$OLDPWD"',
        'cd /; rm -rf "$OLDPWD"; ln -s /etc "$OLDPWD"',
    ],
)
def test_a_command_that_removes_its_folder_leaves_nothing(script):
    """A folder that is gone, or is a file or a link now, is an empty tree and no failure to read one."""
    result = run_command(["sh", "-c", script], files={"a": b"1"})
    assert (result.fault, result.error, result.returncode) == (None, "", 0)
    assert dict(result.files_after) == {}


def test_folders_as_deep_as_can_be_and_sparse_files_do_not_hide_the_tree():
    """What a command leaves can't keep its tree from being read: what is too large is cut, and named."""
    code = (
        "import os\n"
        "open('kept', 'w').write('x')\n"
        "for n in range(40): os.truncate(os.open(f's{n:02}', os.O_CREAT | os.O_RDWR), 8 << 20)\n"
        "for _ in range(3000): os.mkdir('d'); os.chdir('d')\n"
    )
    result = run_command([base_python(), "-c", code], limits=SHORT)
    assert (result.fault, result.error, result.returncode) == (None, "", 0)
    assert result.files_after["kept"] == b"x"
    assert sum(map(len, result.files_after.values())) <= 128 << 20
    assert "s39" in result.skipped
