import json
from math import sqrt
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from passband.cli.review import _EXAMPLE
from passband.compare import Claim, TomlError, claim_schema, read_claim, review_claim
from passband.stats import expected_maximum

PUBLISHED = Path(__file__).parents[2] / "docs/reference/claim.schema.json"
EXERCISE = {
    "tasks": 500,
    "baseline": 41.0,
    "candidate": 43.4,
    "about": "recipe",
    "samples": 1,
    "runs": 1,
    "chosen": "unsaid",
    "of": 5,
}


def claim(**changes):
    return Claim(**{**EXERCISE, **changes})


def plain(**changes):
    return claim(**{"chosen": "fixed", "of": None, **changes})


def test_the_exercise_by_hand():
    """41.0% → 43.4% on 500 tasks: 3.1 points of error unpaired, 1.7 at r = 0.7, and five picks add up to 2.6 points."""
    found = review_claim(claim())
    rows = {row.correlation: row for row in found.rows}
    v, w = 0.410 * 0.590, 0.434 * 0.566
    assert rows[0.0].standard_error == pytest.approx(sqrt((v + w) / 500))
    assert rows[0.7].standard_error == pytest.approx(sqrt((v + w - 1.4 * sqrt(v * w)) / 500))
    assert rows[0.0].choice == pytest.approx(sqrt(w / 500) * 1.16296, rel=1e-4)  # E[max of 5], Harter (1961)
    assert rows[0.7].choice == pytest.approx(sqrt(0.3 * w / 500) * expected_maximum(5))
    assert rows[0.7].low == pytest.approx(float(rows[0.7].difference.low) - rows[0.7].choice)
    assert [support.word for support in found.supports] == ["open", "unsupported"]
    assert (found.outcome, found.exit_code) == ("unsupported", 3)


def test_the_correlation_that_shows_the_difference():
    """Without a choice it is where McNemar's z is 1.96: at most 37 of 500 tasks may have changed sides by 12."""
    found = review_claim(plain(about="checkpoints"))
    assert found.least_correlation == pytest.approx(0.847, abs=5e-4)
    assert found.may_change == 37
    assert 12**2 / 37 > 1.96**2 > 12**2 / 38 - 0.06
    assert found.outcome == "open"


def test_samples_and_tasks_to_ask_for():
    """At r = 0.5 without moved tasks: N = (2.8 / 0.024)² 2 v (1 - r) tasks, and as many samples of 500 tasks fewer."""
    needs = {(need.correlation, need.moved): need for need in review_claim(claim()).samples}
    v, w = 0.410 * 0.590, 0.434 * 0.566
    single = v + w - sqrt(v * w)
    tasks = ((1.959964 + 0.841621) / 0.024) ** 2 * single
    assert needs[0.5, 0.0].tasks == pytest.approx(tasks, rel=2e-3)
    assert needs[0.5, 0.0].samples == np.ceil(tasks / 500)
    within = single - 0.01  # of both arms, at moved² = 0.01
    room = 500 * (0.024 / (1.959964 + 0.841621)) ** 2 - 0.01
    assert needs[0.5, 0.1].samples == np.ceil(within / room)


def test_runs_to_ask_for():
    """Seeds an arm are (2.8 / 0.024)² 2 (training variance + v (1 - r) / (500 n)), a few more for Student's t."""
    found = review_claim(claim(training_sd=1.0, correlation=0.7, icc=0.8))
    for need in found.seeds:
        variance = 0.01**2 + (0.2419 + 0.245644) / 2 * 0.2 / (500 * need.samples)
        normal = 2 * ((1.959964 + 0.841621) / 0.024) ** 2 * variance
        assert np.ceil(normal) <= need.runs <= np.ceil(normal) + 3
    assert min(need.runs for need in found.seeds) >= 3


def test_a_known_correlation_decides():
    """One paired row, and the word of the checkpoints is read off it."""
    for r, word in ((0.8, "unsupported"), (0.86, "supported")):
        found = review_claim(plain(about="checkpoints", correlation=r))
        assert [row.correlation for row in found.rows] == [0.0, r]
        assert found.outcome == word
        assert found.exit_code == (0 if word == "supported" else 3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tasks": 20000}, ("supported", "unsupported")),
        ({"tasks": 20}, ("unsupported", "unsupported")),
        ({"tasks": 20000, "chosen": "unsaid"}, ("open", "unsupported")),
        ({"tasks": 20000, "chosen": "validation", "of": 5}, ("supported", "unsupported")),
        ({"tasks": 20000, "runs": 3}, ("supported", "open")),
        ({"tasks": 20000, "runs": 3, "training_sd": 0.5}, ("supported", "supported")),
        ({"tasks": 20000, "runs": 3, "training_sd": 2.0}, ("supported", "unsupported")),
        ({"runs": 3}, ("open", "unsupported")),
        ({"tasks": 20000, "runs": 3, "training_sd": 0.5, "chosen": "unsaid"}, ("open", "open")),
        ({"tasks": 35, "baseline": 50, "candidate": 60, "samples": 4}, ("open", "unsupported")),
        ({"tasks": 35, "baseline": 50, "candidate": 60, "samples": 4, "icc": 1.0}, ("unsupported", "unsupported")),
        ({"tasks": 20000, "baseline": 43.4, "candidate": 41.0}, ("supported", "unsupported")),
    ],
)
def test_what_can_be_supported(changes, words):
    """Checkpoints: by the interval at every possible correlation. Recipes: by three runs an arm and their spread."""
    found = review_claim(plain(**changes))
    assert tuple(support.word for support in found.supports) == words


def test_a_recipe_whose_gain_choosing_may_have_made_is_not_supported():
    """Where the best of five picks may have added the whole difference, no number of runs supports the recipe."""
    recipe = review_claim(claim(runs=10, training_sd=0.1)).supports[1]
    assert (recipe.word, recipe.reason) == ("unsupported", "choosing the best of 5 may have added all of it")
    assert review_claim(claim(runs=10, training_sd=0.1, tasks=20000)).supports[1].word == "supported"


def test_choosing_the_baseline_too_widens_the_other_end():
    """What choosing may have added to the baseline goes to the far end of the interval."""
    one, both = (review_claim(claim(baseline_of=count)).rows[0] for count in (1, 5))
    assert both.low == one.low
    assert both.high - one.high == pytest.approx(sqrt(0.41 * 0.59 / 500) * expected_maximum(5))


def test_the_interval_that_is_left_covers_in_spite_of_the_choice():
    """Best of five equal checkpoints on one set of tasks: at most 2.5% of the lower ends lie above the truth."""
    rng = np.random.default_rng(3)
    tasks, picks, trials = 300, 5, 3000
    hard = rng.random((trials, tasks)) < 0.4  # a shared half of every outcome: checkpoints correlate by 0.5
    shared = rng.random((trials, picks + 1, tasks)) < sqrt(0.5)
    own = rng.random((trials, picks + 1, tasks)) < 0.4
    passed = np.where(shared, hard[:, None], own).mean(axis=-1)
    found = passed[:, :picks].max(axis=1) - passed[:, picks]
    row = review_claim(claim(tasks=tasks, baseline=40.0, candidate=41.0, correlation=0.5)).rows[1]
    reach = float(row.difference.value) - float(row.difference.low)
    assert (found > reach).mean() > 0.05  # the choice ignored
    assert (found > reach + row.choice).mean() <= 0.025


def test_rates_that_no_count_gives_are_said():
    """41.3% of 500 samples is no whole number of them; of 1,000 it is."""
    assert review_claim(claim(baseline=41.3)).impossible == (
        "baseline 41.3% is no whole number of 500 samples; the nearest is 41.2%",
    )
    assert not review_claim(claim(baseline=41.3, samples=2)).impossible
    assert not review_claim(claim()).impossible


def test_what_is_known_is_not_asked_for():
    """A claim that says all leaves harness, errors and leaks to ask for."""
    asked = review_claim(plain(about="checkpoints", samples=8, correlation=0.5, icc=0.6)).asks
    assert len(asked) == 3
    assert len(review_claim(claim()).asks) == 8


def test_far_rates_and_far_plans_are_reviewed():
    """Rates that hardly can correlate, and differences that no number of samples finds, have a review as well."""
    found = review_claim(plain(baseline=5.0, candidate=90.0))
    assert found.rows[1].correlation < 0.3
    none = review_claim(plain(detect=0.1, tasks=50))
    assert none.suggested.samples is None
    assert none.suggested.tasks > 1e5


@pytest.mark.parametrize(
    ("change", "message", "carets"),
    [
        ("tasks = 500", "", ""),
        ("tsaks = 500", r"claim.toml:1:1: unknown key 'tsaks'; did you mean 'tasks'", "^^^^^"),
        ("tasks = 1", r"claim.toml:1:1: .*>= 2", "^^^^^"),
        ('tasks = "x"', r"claim.toml:1:1: .*int.*str", "^^^^^"),
        ("tasks = ", r"claim.toml:1:9: ", "        ^"),
    ],
)
def test_a_fault_is_pointed_at(tmp_path, change, message, carets):
    """A fault names file, line and column, and puts carets under what is wrong."""
    rest = "\n".join(f"{key} = {json.dumps(value)}" for key, value in EXERCISE.items() if key != "tasks")
    path = tmp_path / "claim.toml"
    path.write_text(f"{change}\n{rest}\n")
    if not message:
        assert read_claim(path) == Claim(**EXERCISE)
        return
    with pytest.raises(TomlError, match=message) as caught:
        read_claim(path)
    assert caught.value.snippet.split("\n")[1].startswith("      | " + carets)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chosen": "tset"}, r"unknown chosen 'tset'; did you mean 'test'"),
        ({"about": "x"}, r"unknown about 'x'; there are: checkpoints, recipe"),
        ({"candidate": 41.0}, "no difference to review"),
        ({"chosen": "test", "of": None}, "of how many is not said; add of"),
        ({"chosen": "fixed"}, "best of none"),
        ({"of": None, "baseline_of": 3}, "the candidate was not; add of"),
        ({"correlation": 0.96}, "such rates correlate by 0.952 at most"),
        ({"correlation": 0.7, "icc": 0.6}, "rates and this icc correlate by 0.600 at most"),
        ({"tasks": None}, "tasks is missing"),
    ],
)
def test_claims_that_contradict_themselves_are_refused(tmp_path, changes, message):
    """What can't be, or leaves out what it rests on, is an error of one line that points at the key."""
    path = tmp_path / "claim.toml"
    lines = {key: value for key, value in {**EXERCISE, **changes}.items() if value is not None}
    path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()))
    with pytest.raises(TomlError, match=message) as caught:
        read_claim(path)
    assert caught.value.exit_code == 2
    assert caught.value.snippet


def test_the_example_is_a_claim_and_fits_the_published_schema(tmp_path):
    """What `review --example` prints can be read; the published schema is that of the code."""
    import tomllib

    path = tmp_path / "claim.toml"
    path.write_text(_EXAMPLE)
    assert read_claim(path).of == 5
    schema = json.loads(PUBLISHED.read_text())
    assert schema == json.loads(json.dumps(claim_schema()))
    jsonschema.validate(tomllib.loads(_EXAMPLE), schema)


def test_a_count_beyond_reason_is_refused_where_it_stands(tmp_path):
    """More tasks than any benchmark has are a slip of the pen, pointed at in the file."""
    path = tmp_path / "claim.toml"
    path.write_text('tasks = 1000000001\nbaseline = 40\ncandidate = 42\nabout = "checkpoints"\nchosen = "fixed"\n')
    with pytest.raises(TomlError, match="claim.toml:1:1: expected int <= 1000000000"):
        read_claim(path)
