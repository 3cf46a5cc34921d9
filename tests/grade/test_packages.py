"""A candidate may import what is installed, whether or not the reference does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade.warm import uses_packages
from passband.records import Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

WRONG = {"m.py": "def newer(a, b):\n    return a > b\n"}
RIGHT = {
    "m.py": "def newer(a, b):\n    return [int(p) for p in a.split('.')] > [int(p) for p in b.split('.')]\n",
}
WITH_PACKAGE = {
    "m.py": "from packaging.version import Version\n\ndef newer(a, b):\n    return Version(a) > Version(b)\n",
}
TESTS = "from m import newer\n\ndef test_it():\n    assert newer('1.10', '1.9') == True\n"


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_installed_packages(tier: str, grading: Grading) -> None:
    """A right answer that takes another way than the reference, by an installed package, is right in both tiers."""
    case = make_case(WRONG, TESTS, RIGHT, fail=("test_it",), tier=tier)
    for files in (RIGHT, WITH_PACKAGE):
        verdict = grading.grade(case, whole_files(dict(files)))
        assert isinstance(verdict, Verdict)
        assert verdict.passed, verdict.detail


@pytest.mark.parametrize(
    "text",
    [
        b"import numpy as np",
        b"import os, numpy",
        b"import os\n\ndef f():\n    from numpy.linalg import norm\n",
        b"import scipy.stats",
        b"from  yaml  import safe_load",
        b"try: import numpy as np\nexcept ImportError: np = None",
        b"def f(x): from numpy import array; return array(x)",
        b"import os; import numpy",
        b"np = __import__('numpy')",
        b'import importlib\nnp = importlib.import_module("numpy.linalg")',
    ],
)
def test_packages_are_seen(text: bytes) -> None:
    """Any form of import of something else is seen, at any depth."""
    assert uses_packages([b"", text], ["own"])


@pytest.mark.parametrize(
    "text",
    [
        b"import os.path as path, json\nfrom collections.abc import Mapping",
        b"from own.deeper import x\nimport own",
        b"from . import x\nfrom .. import y\nfrom .own import z",
        b'"""Counts\nfrom the start, and\nfrom there on."""',
        b"from __future__ import annotations",
        b"important = 1\nfromage = 2",
        b"x = 1  # import numpy",
        b"json = __import__('json'); os = importlib.import_module('os.path')",
        b"\xff\xfe import",
    ],
)
def test_what_is_no_package(text: bytes) -> None:
    """The standard library, the tree's own modules and prose are none."""
    assert not uses_packages([text], ["own"])
