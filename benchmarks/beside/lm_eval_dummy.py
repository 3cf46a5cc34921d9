"""The same work in lm-evaluation-harness: its dummy model, an exact match.

Usage: lm_eval_dummy.py CASES SAMPLES FOLDER [write]. It is measured without writing its samples and with.
"""

import json
import os
import sys
from pathlib import Path

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"

import lm_eval
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

cases, samples, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
write = sys.argv[4:] == ["write"]
os.environ["HF_DATASETS_CACHE"] = str(folder / "cache")
data = folder / f"lm-eval-{cases}.jsonl"
data.write_text(
    "".join(json.dumps({"q": f"q{i}", "a": "lol" if i % 10 == 3 else str(i % 10)}) + "\n" for i in range(cases))
)
task = {
    "task": f"words{cases}",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": str(data)},
    "output_type": "generate_until",
    "test_split": "train",
    "doc_to_text": "{{q}}",
    "doc_to_target": "{{a}}",
    "repeats": samples,
    "generation_kwargs": {"until": ["\n"]},
    "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
}
found = lm_eval.simple_evaluate(
    model="dummy", tasks=[task], bootstrap_iters=0, log_samples=write, task_manager=TaskManager(include_defaults=False)
)
if write:
    tracker = EvaluationTracker(output_path=str(folder / "lm-eval"))
    drawn = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=drawn)
    for name, each in drawn.items():
        tracker.save_results_samples(task_name=name, samples=each)
if found["n-samples"][f"words{cases}"]["effective"] != cases:
    raise SystemExit(f"{found['n-samples']}")
