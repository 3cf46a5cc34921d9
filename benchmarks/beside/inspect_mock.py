"""The same work in Inspect AI: a model that answers at once, an exact match, its log on disk.

Usage: inspect_mock.py CASES SAMPLES FOLDER. Its counter of tokens wants a file from the network; words will do here.
"""

import sys
from pathlib import Path

import tiktoken


class Words:
    def encode(self, text, **_):
        return text.split()


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: Words()

from inspect_ai import Task, eval  # noqa: A004, E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402
from inspect_ai.scorer import exact  # noqa: E402
from inspect_ai.solver import generate  # noqa: E402

cases, samples, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])


def answers():
    while True:
        yield ModelOutput.from_content("mockllm/model", "3")


(log,) = eval(
    Task(
        dataset=MemoryDataset([Sample(input=f"q{i}", target=str(i % 10), id=i + 1) for i in range(cases)]),
        solver=[generate()],
        scorer=exact(),
    ),
    model=get_model("mockllm/model", custom_outputs=answers()),
    epochs=samples,
    log_dir=str(folder / "logs"),
    display="none",
)
if log.status != "success" or log.results.completed_samples != cases * samples:
    raise SystemExit(f"{log.status}: {log.error}")
