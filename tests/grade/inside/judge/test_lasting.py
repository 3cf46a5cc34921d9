"""Whether one process may judge again, and that it notices when it may not."""

from __future__ import annotations

import sys
import textwrap
import types

import pytest

from passband.grade.inside.judge.lasting import Guard, lasting

STEADY = """
    import math, pytest
    from datetime import date
    N = 3
    TABLE = [(1, 2), (3, 4)]
    NAMES = {"a": {1, 2}}

    def helper(x, base=10):
        return x + base

    @pytest.mark.parametrize("x", [1, 2])
    def test_a(x):
        assert helper(x) == TABLE[0][0] + N

    class TestIt:
        limit = 3

        def test_b(self):
            assert math.sqrt(4) == 2 and date(2024, 1, 1)
"""


def module(source: str) -> types.ModuleType:
    """Make a module of a test's source."""
    made = types.ModuleType("hidden_tests_of_lasting")
    made.__file__ = "/box/hidden/tests/test_x.py"
    exec(textwrap.dedent(source), made.__dict__)
    return made


def test_plain_modules_last():
    """Functions, constants, data and classes without state leave no trace from run to run."""
    assert lasting([module(STEADY)])


@pytest.mark.parametrize(
    "source",
    [
        "import os\ndef test_a(): os.environ['x'] = '1'",
        "import sys",
        "import decimal",
        "import functools\n@functools.lru_cache\ndef helper(): return 1",
        "def make():\n    seen = []\n    def test_a(): seen.append(1)\n    return test_a\ntest_a = make()",
        "def test_a(seen=[]): seen.append(1)",
        "def helper(): pass\nhelper.calls = 0",
        "class Fake:\n    pass\nfake = Fake()",
        "class T:\n    seen = object()",
        "def gen():\n    yield 1\nnumbers = gen()",
        "def test_a():\n    import os\n    os.chdir('/')",
        "import io\nout = io.StringIO()",
        "from unittest import mock",
        "counter = iter([1, 2])",
    ],
)
def test_modules_with_a_state_do_not(source):
    """What a run could change unseen, or remember something in, is run in a fork of its own each time."""
    assert not lasting([module(source)])


def test_changes_are_noticed():
    """Data that was changed, names that were bound anew, modules that were loaded."""
    for change in ("TABLE.append(1)", "NAMES['b'] = 1", "N = 4", "helper = None"):
        made = module(STEADY)
        guard = Guard([made])
        assert guard.unchanged()
        exec(change, made.__dict__)
        assert not guard.unchanged(), change
    made = module(STEADY)
    guard = Guard([made])
    sys.modules["a_module_that_came_later"] = types.ModuleType("a_module_that_came_later")
    try:
        assert not guard.unchanged()
    finally:
        del sys.modules["a_module_that_came_later"]
    assert guard.unchanged()
