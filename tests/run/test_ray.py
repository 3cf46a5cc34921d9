import importlib.util
import os
from pathlib import Path

import pytest

from passband.errors import DataError, UsageError
from passband.run import Store, execute, make_header
from passband.run.ray_pool import Recipe, ray_executor
from passband.subject import load_subject

from .doubles import ExactGrading, coin_suite

ROOT = Path(__file__).parents[2]
THERE = importlib.util.find_spec("ray") is not None


def draw(store, executor=None, function="answer", cases=20, n=8, on_progress=lambda _: None):
    """Run coins into a store and return what it holds, but for times."""
    suite, grading = coin_suite(cases), ExactGrading()
    subject = load_subject(f"python:tests.run.rayed:{function}")
    header = make_header(suite, subject, grading, samples_per_case=n, seed=3, created_at=1.0)
    store.add_run(header)
    more = {"executor": executor} if executor else {}
    execute(header, suite, subject, grading, store, workers=4, on_progress=on_progress, **more)
    return header, [
        (case, s.index, s.seed, s.output, s.verdict, s.status, s.trace, s.usage, s.faults)
        for case, s in store.samples(header.run_id)
    ]


def recipe(function="answer"):
    """What actors make."""
    return Recipe(run_seed=3, subject=f"python:tests.run.rayed:{function}", grading="tests.run.rayed:grading")


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of a head without CPUs and three nodes of two, on this machine."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": 100 * 2**20},
    )
    made.nodes = [made.add_node(num_cpus=2, object_store_memory=100 * 2**20) for _ in range(3)]
    yield made
    made.shutdown()


if THERE:

    @pytest.mark.slow
    @pytest.mark.filterwarnings("default")  # Ray leaves sockets and processes for the interpreter to find
    def test_a_killed_node_costs_retries_not_samples(cluster, tmp_path):
        """A node killed in the middle of a run on several nodes changes nothing about the result."""
        with Store(tmp_path / "local.db", create=True) as store:
            local = draw(store, cases=40, n=16)

        killed = []

        def kill(progress):
            if progress.done > 100 and not killed:
                killed.append(progress.done)
                cluster.remove_node(cluster.nodes[0], allow_graceful=False)

        with Store(tmp_path / "ray.db", create=True) as store:
            distributed = draw(store, ray_executor(recipe(), cluster.address), cases=40, n=16, on_progress=kill)
        assert killed[0] < 400
        assert distributed == local

    @pytest.mark.slow
    @pytest.mark.filterwarnings("default")
    def test_a_fault_that_cannot_be_mended_comes_back(cluster, tmp_path):
        """What stops a local run stops a distributed one with the same words."""
        with Store(tmp_path / "s.db", create=True) as store, pytest.raises(DataError, match="the key is refused"):
            draw(store, ray_executor(recipe("broken"), cluster.address), "broken")


def test_without_ray_there_is_one_clear_error(monkeypatch):
    """Where the extra is not installed, the user is told its name."""
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match="passband.ray."):
        ray_executor(recipe())(None, 1, 1)
