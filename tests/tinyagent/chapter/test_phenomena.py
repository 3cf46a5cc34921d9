"""What ten training seeds showed, as docs/chapter records it: the phenomena of the sections on training."""

import json
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs/chapter"


def rows(section, table):
    """Rows of a recorded table, each a dictionary by column; of equal columns the first counts."""
    record = json.loads((PAGES / section / "section.json").read_text(encoding="utf-8"))
    (found,) = (one for one in record["tables"] if one["name"] == table)
    return [dict(reversed(list(zip(found["columns"], row, strict=True)))) for row in found["rows"]]


def test_two_noises():
    """Seeds at step 30 are apart by more than their evaluations; ten tell it, with an interval above zero."""
    noise = rows("17.4", "noise")[-1]
    assert noise["training"] > noise["evaluation"] > 0
    assert noise["low"] > 0
    assert noise["evaluation"] == pytest.approx(noise["independent"], rel=0.5)


def test_pairing_gains_where_the_difficulty_is_shared():
    """The standard errors' ratio is large where the rates correlate, and near one where they do not."""
    pairs = rows("17.4", "pairs")
    assert len(pairs) == 10
    for pair in pairs:
        gain = pair["SE unpaired"] / pair["SE paired"]
        assert gain > 3 if pair["correlation"] > 0.9 else gain < 3


def test_one_field_moves_the_number():
    """Too few turns and a flatter distribution cost, by intervals over seeds; spare turns and names do not."""
    change = {row["harness"]: row for row in rows("17.5", "seeds")}
    assert change["three turns"]["high"] < 0
    assert change["temperature 1.3"]["high"] < 0
    for name in ("ten turns", "names not drawn"):
        assert change[name]["low"] < 0 < change[name]["high"]
        assert abs(change[name]["change"]) < 0.01


def test_two_splits_give_opposite_verdicts():
    """On every seed: the unseen family falls below the base agent, the variants rise far above it."""
    seeds = rows("17.6", "seeds")
    assert len(seeds) == 10
    for row in seeds:
        assert row["unseen, step 30"] < row["unseen, base"] < 0.2
        assert row["variants, step 30"] > row["variants, base"] + 0.4


def test_the_leak_is_real_and_inert():
    """A third of the episodes carry a held-out name, and closing a channel changes less than half a point."""
    shares = {row["channel"]: row["share"] for row in rows("17.6", "channels")}
    assert shares["renaming"] == pytest.approx(10 / 29, abs=0.03)
    assert shares["cloning"] == pytest.approx(10 / 29, abs=0.03)
    assert all(abs(row["change"]) < 0.005 for row in rows("17.6", "effects")[1:])


def test_choosing_on_test_inflates():
    """For every seed, and by more the more checkpoints are tried."""
    assert all(row["inflation"] > 0 for row in rows("17.8", "choices"))
    means = [row["mean"] for row in rows("17.9", "selection")]
    assert means == sorted(means)
    assert rows("17.9", "selection")[0]["low"] > 0


def test_every_family_collapses():
    """All runs of all five, together with the entropy of the first edit."""
    families = rows("exercise-4", "families")
    assert len(families) == 5
    for row in families:
        assert row["fell"] == 4
        assert row["step 30"] < 0.02
        assert row["entropy, step 30"] < row["entropy, base"]


def test_common_random_numbers_take_scatter_away():
    """On every seed; the standard error over tasks falls too, by little where checkpoints differ by task."""
    for row in rows("exercise-6", "errors"):
        assert row["scatter one"] < row["scatter two"]
        assert row["SE one"] < row["SE two"]
        assert row["episodes correlate"] > 0.1
