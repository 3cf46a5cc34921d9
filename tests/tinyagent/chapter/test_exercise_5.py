"""Exercise 5: a canary for the harness."""

import pytest

from passband.errors import DataError
from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import PLAIN_HARNESS, GymHarness, RLConfig
from tinyagent.chapter import exercise_5


def test_every_field_is_changed():
    """And every change is one."""
    assert set(exercise_5.all_fields()) == set(exercise_5.CHANGES)
    for field, values in exercise_5.CHANGES.items():
        assert all(exercise_5.changed(field, value) != RLConfig() for value in values)


def test_the_training_harness_passes():
    """With the scores that are known; the blind guess's is near its expectation."""
    exercise_5.canary(RLConfig())
    for name, (passed, rewarded) in exercise_5.scores(RLConfig()).items():
        assert passed == rewarded == pytest.approx(exercise_5.EXPECTED[name][0], abs=0.1 if name == "blind" else 1e-9)


@pytest.mark.parametrize(
    ("harness", "said"),
    [
        (PLAIN_HARNESS, "stacker 0.60 instead of 0.20"),
        (GymHarness(max_turns=2), "oracle 0.00 instead of 1.00, stacker 0.00 instead of 0.20"),
        (GymHarness(max_edits=0), "oracle 0.00 instead of 1.00"),
        (GymHarness(reward="public"), "hacker"),
    ],
)
def test_a_changed_harness_is_refused(harness, said):
    """By name of the policies that moved."""
    with pytest.raises(DataError, match=said):
        exercise_5.canary(RLConfig(harness=harness))


@pytest.mark.parametrize("field", ["harness.temperature", "harness.name_pool", "learning_rate", "seed", "kl"])
def test_what_scripts_miss(field):
    """Sampling, names and training are nothing that a script depends on."""
    for value in exercise_5.CHANGES[field]:
        assert exercise_5.moved(exercise_5.changed(field, value)) == ()


def test_a_frozen_checkpoint_sees_the_temperature(tmp_path):
    """Which every script misses; nobody sees the settings of the training."""
    section = exercise_5.run(ShippedLab(cache=tmp_path))
    rows = {(row[0], row[1]): row[2:] for row in section.tables[1].rows}
    assert rows["harness.temperature", "1.3"][0] == ""
    assert rows["harness.temperature", "1.3"][1] != ""
    assert rows["harness.max_edits", "no limit"][0] == "stacker"
    assert rows["learning_rate", "0.001"] == ("", "")
