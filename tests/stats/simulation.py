"""The simulations behind docs/methods, loaded from there, so that pages and tests never differ."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_PATH = Path(__file__).parents[2] / "docs" / "methods" / "coverage.py"
_SPEC = importlib.util.spec_from_file_location("coverage_of_methods", _PATH)
coverage = importlib.util.module_from_spec(_SPEC)
sys.modules["coverage_of_methods"] = coverage  # dataclasses look their module up
_SPEC.loader.exec_module(coverage)
