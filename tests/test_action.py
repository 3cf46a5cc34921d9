import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stored import store_run

ROOT = Path(__file__).parents[1]
POLICY = '[[rule]]\nkind = "floor"\nmin = 50\n'


def script():
    """The gate step's script, as the runner would get it."""
    lines = (ROOT / "action.yml").read_text().split("      run: |\n")[1].split("\n")
    return "\n".join(line.removeprefix(" " * 8) for line in lines)


def step(folder, **variables):
    """Run the gate step in bash, with the variables that the runner would set."""
    (folder / "gate.toml").write_text(POLICY)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "BASELINE": "", "POLICY": "gate.toml", "STORE": "s.db", "QUARANTINE": "", "INCONCLUSIVE": "fail", **variables,
    }  # fmt: skip
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script()]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("letters", "inconclusive", "code", "outcome"),
    [("PPPP", "fail", 0, "pass"), ("FFFF", "fail", 1, "fail"), ("PFPF", "fail", 3, "inconclusive"),
     ("PFPF", "pass", 0, "inconclusive")],
)  # fmt: skip
def test_the_step_decides_and_tells_the_runner(tmp_path, letters, inconclusive, code, outcome):
    """The step's exit code, outputs, summary and annotations are those of the gate."""
    store_run(tmp_path / "s.db", "run", {f"c{i}": letters for i in range(20)})
    done = step(tmp_path, RUN="run", INCONCLUSIVE=inconclusive)
    assert done.returncode == code, done.stderr
    assert f"outcome={outcome}\n" in (tmp_path / "output").read_text()
    assert f"Passband gate: {outcome.upper()}" in (tmp_path / "summary").read_text()
    assert done.stdout.splitlines()[-1].startswith("::")


def test_an_input_can_not_run_anything(tmp_path):
    """Shell syntax in an input is a name that nothing answers to."""
    store_run(tmp_path / "s.db", "run", {"c": "PP"})
    done = step(tmp_path, RUN='$(touch hacked); "; touch hacked #')
    assert done.returncode == 2
    assert not (tmp_path / "hacked").exists()


def test_the_action_fits_its_schema():
    """action.yml is what GitHub's published schema of actions allows."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    done = subprocess.run([*command, str(ROOT / "action.yml")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_workflows_of_the_documentation_fit_their_schema(tmp_path):
    """Every workflow that a page shows is what GitHub's published schema of workflows allows; a broken one is not."""
    shown = [
        block
        for page in sorted((ROOT / "docs").rglob("*.md"))
        for block in re.findall(r"^```yaml[^\n]*\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        if "\njobs:" in block
    ]
    assert shown
    for number, text in enumerate(shown):
        for name, made, code in (("good", text, 0), ("broken", text.replace("runs-on:", "run-on:"), 1)):
            path = tmp_path / f"{name}{number}.yml"
            path.write_text(made)
            command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
            done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stdout + done.stderr
