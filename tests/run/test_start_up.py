"""What a small run may import: time to the first sample is time spent importing."""

from __future__ import annotations

import json
import subprocess
import sys

CODE = """
import sys
from passband.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
LIBRARIES = {"click", "lazy_loader", "msgspec", "numpy", "orjson", "zstandard", "typing_extensions"}
STAGES = {"aggregate", "cli", "errors", "grade", "records", "report", "run", "stats", "subject", "suite"}
GRADING = {"passband.grade", "passband.grade.grading", "passband.grade.text"}
SLOW = {"asyncio", "ctypes.util", "email", "importlib.metadata", "logging", "subprocess", "tarfile", "traceback", "xml"}


def loaded_by(folder, *arguments):
    """Names of all modules that are loaded when a command ends."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


def third_party(modules):
    """The packages among them that neither Python nor we have brought."""
    tops = {name.partition(".")[0] for name in modules}
    return {name for name in tops - set(sys.stdlib_module_names) if not name.startswith(("_", "passband"))}


def small_suite(folder):
    """A suite of text with a subject that needs nothing, in a folder."""
    case = {"inputs": {"q": 1}, "reference": "1", "grader_spec": {"kind": "exact_match"}}
    lines = (json.dumps({"id": f"c{i}", **case}) for i in range(40))
    (folder / "suite.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "agent.py").write_text("def answer(view, seed):\n    return str(seed % 2)\n")


def test_a_small_run_imports_little(tmp_path):
    """A run whose answers are text loads neither scipy, nor a sandbox, nor what draws on terminals; nor does `show`."""
    small_suite(tmp_path)
    drawn = loaded_by(tmp_path, "run", "suite.jsonl", "--subject", "python:agent:answer", "-n", "3", "--store", "s.db")
    shown = loaded_by(tmp_path, "show", "latest", "--store", "s.db")
    for modules in (drawn, shown):
        assert "passband.aggregate.summary" in modules
        assert third_party(modules) - {"agent"} <= LIBRARIES
        assert not modules & SLOW
        ours = {name for name in modules if name.startswith("passband.")}
        assert {name.split(".")[1] for name in ours} <= STAGES
        assert {name for name in ours if name.startswith("passband.grade")} <= GRADING
    assert not {name for name in drawn if name.startswith("passband.subject.mutator")}


def test_numpy_starts_no_threads_of_its_own(tmp_path):
    """A command leaves the variable that keeps numpy from threads as it found it, for whatever it starts."""
    code = (
        "import os; from passband.cli.opening import lone_numpy\n"
        "lone_numpy(); import sys; print('numpy' in sys.modules, os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    for given, left in ((None, "None"), ("2", "2")):
        environment = {"PATH": "/usr/bin"} | ({"OPENBLAS_NUM_THREADS": given} if given else {})
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert done.stdout.split() == [str(given is None), left]
