"""What the machinery of a run costs: a trivial subject, an exact match, every sample stored.

Prints samples per CPU-second, start-up counted and not, for several shapes of run; the most memory of runs of a
thousand to a million samples of one suite; and what a million samples cost to draw, to keep and to show. The same work
in other tools stands beside it where the environment says where they are:

- ``BENCH_INSPECT_PYTHON``, a Python with inspect-ai;
- ``BENCH_LM_EVAL_PYTHON``, a Python with lm-eval;
- ``BENCH_PROMPTFOO``, promptfoo's command.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

BESIDE = Path(__file__).parent / "beside"
AGENT = "def answer(view, seed):\n    return str(seed % 10)\n"
SHAPES = ((1000, 1), (200, 32), (10_000, 1))
TURNS = 7  # of what takes well below a second


class Cost(NamedTuple):
    cpu: float
    wall: float
    mib: int


def cost_of(command: list[str], folder: Path, codes: tuple[int, ...] = (0,), **environment: str) -> Cost:
    """Run a command, children and all, as it is installed: with its bytecode."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    clock = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**inherited, "CI": "true", **environment},
    )
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise SystemExit(f"{shlex.join(command)} ended with {process.returncode}:\n{said.decode(errors='replace')}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - clock, used.ru_maxrss // 1024)


def passband(folder: Path, *arguments: str) -> Cost:
    return cost_of([str(Path(sys.executable).parent / "passband"), *arguments], folder)


def draw(folder: Path, cases: int, n: int) -> Cost:
    """Draw a run of a trivial subject into a new store."""
    suite = folder / f"suite-{cases}.jsonl"
    if not suite.exists():
        spec = {"kind": "exact_match"}
        each = (
            {"id": f"c{i:06}", "inputs": {"q": i}, "reference": str(i % 10), "grader_spec": spec} for i in range(cases)
        )
        suite.write_text("".join(json.dumps(case) + "\n" for case in each))
    for ending in ("", "-wal", "-shm"):
        (folder / f"{cases}-{n}.db{ending}").unlink(missing_ok=True)
    where = f"{cases}-{n}.db"
    return passband(folder, "run", suite.name, "--subject", "python:agent:answer", "-n", str(n), "--store", where)


def inspect_ai(python: str) -> Callable[[Path, int, int], Cost]:
    return lambda folder, cases, n: cost_of(
        [python, str(BESIDE / "inspect_mock.py"), str(cases), str(n), str(folder)], folder
    )


def lm_eval(python: str, *write: str) -> Callable[[Path, int, int], Cost]:
    return lambda folder, cases, n: cost_of(
        [python, str(BESIDE / "lm_eval_dummy.py"), str(cases), str(n), str(folder), *write], folder
    )


def promptfoo(command: str) -> Callable[[Path, int, int], Cost]:
    def run(folder: Path, cases: int, n: int) -> Cost:
        (folder / "answer.cjs").write_text(
            "module.exports = class { id() { return 'three'; } async callApi() { return { output: '3' }; } };\n"
        )
        tests = [{"vars": {"q": f"q{i}"}, "assert": [{"type": "equals", "value": str(i % 10)}]} for i in range(cases)]
        config = {"prompts": ["{{q}}"], "providers": ["file://answer.cjs"], "tests": tests}
        (folder / "promptfoo.json").write_text(json.dumps(config))
        options = ["-c", "promptfoo.json", "--repeat", str(n), "--no-cache", "--no-progress-bar", "--no-table"]
        return cost_of(
            [*shlex.split(command), "eval", *options],
            folder,
            (0, 100),  # 100: some tests failed, as they must
            PROMPTFOO_CONFIG_DIR=str(folder / "promptfoo"),
            PROMPTFOO_DISABLE_TELEMETRY="1",
            PROMPTFOO_DISABLE_UPDATE="1",
        )

    return run


OTHERS = (
    ("Inspect AI, its log on disk", "BENCH_INSPECT_PYTHON", inspect_ai, SHAPES),
    ("lm-eval, nothing written", "BENCH_LM_EVAL_PYTHON", lm_eval, SHAPES),
    ("lm-eval, samples written", "BENCH_LM_EVAL_PYTHON", lambda python: lm_eval(python, "write"), SHAPES),
    ("promptfoo, its database", "BENCH_PROMPTFOO", promptfoo, ((1000, 1), (10_000, 1))),
)


def typical(run: Callable[[], Cost], turns: int) -> Cost:
    """Return the run of median CPU."""
    return statistics.median_low([run() for _ in range(turns)])


def shapes(folder: Path) -> None:
    """Print a line a shape and tool."""
    draw(folder, 1, 1)  # writes the bytecode
    start = typical(lambda: draw(folder, 1, 1), TURNS)
    print(f"Passband: one sample {start.cpu:.2f} CPU-s, {start.wall:.2f} s, {start.mib} MiB")
    ours = {
        shape: typical(lambda shape=shape: draw(folder, *shape), TURNS if shape == (1000, 1) else 3) for shape in SHAPES
    }
    for shape, found in ours.items():
        print(f"  {line(shape, found, start)}")
    for name, variable, tool, wanted in OTHERS:
        if variable not in os.environ:
            print(f"{name}: not measured; {variable} says where it is")
            continue
        run = tool(os.environ[variable])
        run(folder, 1, 1)
        first = typical(lambda run=run: run(folder, 1, 1), 3)
        print(f"{name}: one sample {first.cpu:.2f} CPU-s, {first.cpu / start.cpu:.0f}× ours; {first.mib} MiB")
        for shape in wanted:
            theirs = run(folder, *shape)
            whole, each = theirs.cpu / ours[shape].cpu, more(theirs, first) / more(ours[shape], start)
            without = f", {each:.0f}× without" if each else ""
            print(f"  {line(shape, theirs, first)}; {whole:.0f}× ours with start-up{without}")


def more(found: Cost, start: Cost) -> float:
    """Return what a run cost beyond its start-up; 0 where that is lost in the noise of the start-up itself."""
    cpu = found.cpu - start.cpu
    return cpu if cpu > start.cpu / 5 else 0.0


def line(shape: tuple[int, int], found: Cost, start: Cost) -> str:
    samples, beyond = shape[0] * shape[1], more(found, start)
    without = f", {samples / beyond:,.0f} without start-up" if beyond else ""
    return (
        f"{shape[0]:,} × {shape[1]}: {found.cpu:.2f} CPU-s, {samples / found.cpu:,.0f} samples a CPU-second{without};"
        f" {found.wall:.1f} s, {found.mib} MiB"
    )


def memory(folder: Path) -> None:
    """Print the most memory that runs of one suite take, whatever their length."""
    for n in (10, 100, 1000, 10_000):
        found = draw(folder, 100, n)
        rate = 100 * n / found.cpu
        print(f"memory: 100 × {n:,} = {100 * n:,} samples: at most {found.mib} MiB, {rate:,.0f} a CPU-second")


def million(folder: Path) -> None:
    """Print what a long run costs to draw, to keep and to show."""
    from passband.run import open_store

    cases, n = 10_000, 100
    samples = cases * n
    drawn = draw(folder, cases, n)
    store_file = folder / f"{cases}-{n}.db"
    size = store_file.stat().st_size
    print(
        f"{cases:,} × {n} = {samples:,}: {drawn.cpu:.0f} CPU-s, {samples / drawn.cpu:,.0f} a CPU-second,"
        f" {drawn.wall:.0f} s, at most {drawn.mib} MiB; {size / 2**20:.0f} MiB on disk, {size / samples:.0f} B each"
    )
    with open_store(str(store_file)) as store:
        run_id = store.find("latest").run_id
        clock = time.process_time()
        store.counts(run_id)
        counted = time.process_time() - clock
        store.table(run_id)
        print(f"  aggregate query {counted:.2f} CPU-s, all columns {time.process_time() - clock - counted:.2f} CPU-s")
    shown = [passband(folder, "show", "latest", "--store", store_file.name) for _ in range(TURNS)]
    usual, most, longest = statistics.median_low(shown).cpu, max(shown).cpu, max(one.wall for one in shown)
    print(f"  show {usual:.2f} CPU-s, at most {most:.2f} CPU-s and {longest:.2f} s")


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent.py").write_text(AGENT)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
        shapes(folder)
        memory(folder)
        million(folder)


if __name__ == "__main__":
    main()
