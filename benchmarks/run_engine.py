"""What the machinery of a run costs: a trivial subject, an exact match, every sample stored.

Prints samples per CPU-second, start-up and memory for several shapes of run. With an argument, such as 1000000, it adds
a run of so many samples, with the size of its file and the time of its aggregate.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = "def answer(view, seed):\n    return str(seed % 10)\n"
SHAPES = ((1000, 1), (200, 32), (10_000, 1))


def passband(folder: Path, *arguments: str) -> tuple[float, float, int]:
    """Run the command line; return CPU seconds, seconds and the most memory in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    subprocess.run([sys.executable, "-m", "passband", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, after.ru_maxrss // 1024


def draw(folder: Path, cases: int, n: int, store: str) -> tuple[float, float, int]:
    """Draw a run of a trivial subject."""
    lines = (
        json.dumps(
            {
                "id": f"c{i:06}",
                "inputs": {"q": i},
                "reference": str(i % 10),
                "grader_spec": {"kind": "exact_match"},
            }
        )
        for i in range(cases)
    )
    (folder / "suite.jsonl").write_text("\n".join(lines) + "\n")
    return passband(
        folder,
        *("run", "suite.jsonl", "--subject", "python:agent:answer", "-n", str(n), "--store", store, "--unsafe"),
        *("--format", "json"),
    )


def main() -> None:
    """Print one line a shape."""
    os.environ["CI"] = "true"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent.py").write_text(AGENT)
        start, wall, _ = draw(folder, 1, 1, "start.db")
        print(f"start-up, one sample:    {start:.2f} CPU-s, {wall:.2f} s")
        for cases, n in SHAPES:
            cpu, wall, memory = draw(folder, cases, n, f"{cases}-{n}.db")
            samples = cases * n
            print(
                f"{cases:,} × {n}: {samples / cpu:,.0f} samples a CPU-second with start-up,"
                f" {samples / max(cpu - start, 1e-9):,.0f} without; {wall:.1f} s, at most {memory} MiB"
            )
        if len(sys.argv) > 1:
            million(folder, int(sys.argv[1]))


def million(folder: Path, samples: int) -> None:
    """Print what a long run costs to draw, to keep and to show."""
    from passband.run import open_store

    cpu, wall, memory = draw(folder, samples // 100, 100, "long.db")
    size = (folder / "long.db").stat().st_size
    rate = f"{samples / cpu:,.0f} a CPU-second, {wall:.0f} s"
    print(f"{samples:,}: {rate}, at most {memory} MiB, {size / samples:.0f} B each")
    with open_store(str(folder / "long.db")) as store:
        run_id = store.find("latest").run_id
        clock = time.process_time()
        store.counts(run_id)
        counted = time.process_time() - clock
        store.table(run_id)
        print(f"  aggregate query {counted:.2f} CPU-s, all columns {time.process_time() - clock - counted:.2f} CPU-s")
    cpu, wall, _ = passband(folder, "show", "latest", "--store", "long.db")
    print(f"  show {cpu:.2f} CPU-s, {wall:.2f} s")


if __name__ == "__main__":
    main()
