import msgspec

from passband.compare import harness_drift
from passband.report import render_drift
from tests.tables import HARNESS, table


def header(**changes):
    """A header whose harness is changed in the given fields."""
    return table({"x": "P"}, harness=msgspec.structs.replace(HARNESS, **changes)).header


def test_the_heaviest_difference_comes_first():
    """Another suite or prompt outweighs sampling, which outweighs limits, which outweigh package versions."""
    one = header(
        limits={"cpu_s": [1]},
        packages={"numpy": "1", "python": "3.11"},
        sampling={"temperature": 0.8},
        budgets={"turns": 8},
    )
    two = header(
        suite_version="w" * 64, limits={"cpu_s": [2]}, packages={"numpy": "2", "python": "3.12"},
        sampling={"temperature": 1.0}, budgets={"turns": 3}, prompt_template="digest",
    )  # fmt: skip
    found = harness_drift(one, two)
    assert [field.field for field in found.fields] == [
        "suite_version", "prompt_template", "budgets.turns", "sampling.temperature", "limits.cpu_s",
        "packages.python", "packages.numpy",
    ]  # fmt: skip
    assert found.fingerprints[0] != found.fingerprints[1]


def test_every_field_of_the_harness_moves_the_fingerprint_and_is_seen():
    """A change in any field changes the fingerprint and is listed."""
    changes = {
        "suite": "t", "suite_version": "w" * 64, "grader": "h@1", "success_criterion": "d", "sandbox_tier": "process",
        "limits": {"cpu_s": 1}, "prompt_template": "p", "tools": ("edit",), "budgets": {"turns": 1},
        "sampling": {"temperature": 1.0}, "packages": {"python": "3.12"},
    }  # fmt: skip
    assert set(changes) == set(HARNESS.__struct_fields__)
    for name, value in changes.items():
        found = harness_drift(header(), header(**{name: value}))
        assert [field.field.partition(".")[0] for field in found.fields] == [name]
        assert found.fingerprints[0] != found.fingerprints[1]


def test_one_harness_is_said_to_be_one_and_what_was_not_recorded_is_named():
    """Equal harnesses are the same; seeds and subjects are listed apart; unrecorded fields are named."""
    one, two = header(), msgspec.structs.replace(header(), seed=3, subject="other")
    found = harness_drift(one, two)
    assert found.fields == ()
    assert [field.field for field in found.run_fields] == ["subject", "seed"]
    assert "sampling" in found.unrecorded
    text = render_drift(found)
    assert text.startswith("SAME")
    assert "can't be seen" in text
