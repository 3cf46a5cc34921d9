import doctest
import importlib

import pytest

MODULES = (
    "agreement",
    "allocation",
    "beta_binomial",
    "bradley_terry",
    "calibration",
    "checkpoint",
    "design",
    "group_sequential",
    "hierarchical",
    "judged",
    "krippendorff",
    "power",
    "prediction_powered",
    "runs",
    "seeds",
    "selective",
    "sequential",
    "sprt",
    "winners_curse",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    """Every example prints what it says."""
    module = importlib.import_module(f"passband.stats.{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
    assert tried > 0
