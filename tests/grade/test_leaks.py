"""Many verdicts, good and bad: none raises, and nothing of them stays behind."""

from __future__ import annotations

import os
import random
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from passband.grade import Grading
from passband.records import Limits, Verdict
from tests.grade import hostile
from tests.grade.cases import make_case, whole_files
from tests.grade.test_own_attacks import RIGHT, TESTS

if TYPE_CHECKING:
    from passband.records import EvalCase

# Those that only end when their time is up would make ten thousand of them last for days.
QUICK = [
    name
    for name in hostile.candidates()
    if name
    not in {
        *("import_endless_import", "import_memory", "import_recursion", "import_fork_bomb", "import_many_files"),
        *("import_fill_the_disk", "import_huge_output", "import_threads_flood", "call_sleep_for_ever", "call_spin"),
        *("call_lock_up", "call_stop_self", "call_huge_list", "call_huge_text", "call_huge_int", "call_many_objects"),
        *("call_endless_generator", "call_exit_in_thread", "import_long_expression", "import_swap_descriptors"),
        *("import_audit_hook", "import_signals", "call_deep_tuple", "import_network", "call_answer_twice"),
    }
]


class State(NamedTuple):
    """What a leak would show in."""

    descriptors: int
    processes: int
    mounts: int
    temporary: int


def family() -> list[int]:
    """List this process and its descendants."""
    found, todo = [], [os.getpid()]
    while todo:
        pid = todo.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").iterdir():
            todo += [int(c) for c in (task / "children").read_text().split()]
    return found


def groups() -> set[Path]:
    """List the control groups of all servers."""
    return set(Path("/sys/fs/cgroup").rglob("passband-*-*"))


def groups_of(pids: list[int], there: set[Path]) -> list[Path]:
    """List those that servers with these process ids have made; not what a killed one of the same id left before."""
    return [path for path in groups() - there if int(path.name.split("-")[1]) in pids]


def own_mounts() -> list[str]:
    """List the mounts of this machine that a sandbox makes, or that lie in the temporary folder; none of others'."""
    made = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        if right.split()[1] in {"passband", "box", "bases"} or left.split()[4].startswith(tempfile.gettempdir()):
            made.append(line)
    return made


def state() -> State:
    """Count what this process and its descendants hold."""
    return State(
        len(list(Path("/proc/self/fd").iterdir())),
        len(family()),
        len(own_mounts()),
        len(list(Path(tempfile.gettempdir()).iterdir())),
    )


def answers(count: int, seed: int) -> list[tuple[int, str]]:
    """Draw candidates: right, wrong, hostile, damaged, random text; each different from all others."""
    rng = random.Random(seed)
    sources = hostile.candidates()
    drawn = []
    for n in range(count):
        kind = rng.random()
        if kind < 0.3:
            text = RIGHT
        elif kind < 0.6:
            text = sources[rng.choice(QUICK)]
        elif kind < 0.8:
            place = rng.randrange(len(RIGHT))
            text = (
                RIGHT[:place]
                + rng.choice(["x", "", "0", ")", "\n", "return ", "#"])
                + RIGHT[place + rng.randrange(3) :]
            )
        elif kind < 0.9:
            text = hostile.BASE.format(
                body=rng.choice(["return hi", "return min(hi, x) + 0.0", "return str(x)", "pass"])
            )
        else:
            text = "".join(chr(rng.randrange(32, 0x250)) for _ in range(rng.randrange(200)))
        drawn.append((n, f"{text}\n# {n}\n"))
    return drawn


def case_in(tier: str) -> EvalCase:
    """Make the case of the attacks."""
    return make_case(
        {"calc.py": hostile.BASE.format(body=hostile.WRONG)},
        TESTS,
        {"calc.py": RIGHT},
        fail=("test_top", "test_top_text"),
        ok=("test_bump", "test_first", "test_each", "test_tally"),
        tier=tier,
        limits=Limits(wall_s=15, cpu_s=1, mem_mb=256, file_mb=8, pids=32),
    )


def run(count: int, threads: int) -> None:
    """Grade candidates in both tiers from several threads, and compare before and after."""
    cases = [case_in("split"), case_in("pytest")]
    start, others, there = state(), family(), groups()
    with Grading() as grading, ThreadPoolExecutor(threads) as pool:
        for case in cases:
            grading.plan(case)
        before = state()
        verdicts = pool.map(
            lambda drawn: grading.grade(cases[drawn[0] % 2], whole_files({"calc.py": drawn[1]})), answers(count, 5)
        )
        made = list(verdicts)
        strange = [v for v in made if not isinstance(v, Verdict)]
        assert not strange, strange[:3]
        assert sum(v.passed for v in made if isinstance(v, Verdict)) > count // 8
        after = state()
        # A judge that waits for its next run is kept for each thread; nothing else grows.
        assert after.processes <= before.processes + threads
        assert after.descriptors <= before.descriptors + 4 * threads
        assert after.mounts == before.mounts
        assert after.temporary == before.temporary
        servers = [pid for pid in family() if pid not in others]
    ended = state()
    assert ended.processes <= start.processes
    assert ended.descriptors <= start.descriptors
    assert not groups_of(servers, there)


@pytest.fixture(autouse=True)
def _own_temporary_folder(monkeypatch, tmp_path):
    """Let nothing but this test's own traces be in the temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_few_hundred_candidates_leave_nothing() -> None:
    """Three hundred candidates of all kinds, on two threads."""
    run(300, 2)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_candidates_leave_nothing() -> None:
    """Ten thousand candidates of all kinds, on four threads."""
    run(10_000, 4)
