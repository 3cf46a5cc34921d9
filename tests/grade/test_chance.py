"""What is run again before it counts as resolved: all that is not known to be the same in every run."""

from __future__ import annotations

import builtins
import importlib
import pkgutil
import sys
import types

import pytest

from passband.grade.chance import LEADING_AWAY, STEADY_BUILTINS, STEADY_MODULES, reruns

# How a candidate may come by a coin, or by the layout of memory, the machine or the load on it.
COINS = [
    "import random",
    "from random import random as r",
    "import time\nT = time.perf_counter_ns()",
    "import os\ndef f(x): return os.getpid()",
    "import _thread",
    "import uuid, secrets, tempfile",
    "import select\ndef f(x): select.select([], [], [], 0.001)",
    "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)",
    "import threading",
    "import resource\ndef f(x): return resource.getrusage(0)",
    "import gc\ndef f(x): return gc.get_count()",
    "import weakref",
    "import sys\ndef f(x): return sys.getallocatedblocks()",
    "import numpy as np\ndef f(x): return np.empty(3)",
    "import somewhere_else",
    "def f(x): return id(x) >> 20 & 1",
    "def f(x): return hash(x)",
    "def f(x): return object().__hash__()",
    "def f(x): return repr(object())",
    "def f(x): return f'{object()!r}'",
    "def f(x): return object.__repr__(x)",
    "def f(x): return __import__('ti' + 'me').time()",
    "def f(x): return getattr(x, 'ur' + 'andom')",
    "def f(x): return eval('i' + 'd')(x)",
    "def f(x): return globals()['i' + 'd'](x)",
    "def f(x): return __builtins__['i' + 'd'](x)",
    "def f(x): return f.__globals__",
    "def f(x): return ().__class__.__base__.__subclasses__()",
    "def f(x):\n try: x.y\n except Exception as e: return e.__traceback__",
    "def f(x): return (i for i in x).gi_frame.f_back",
    "def f(x): return open('/dev/urandom', 'rb').read(1)",
    "def f(x): return open('/proc/self/stat').read()",
    "import io\ndef f(x): return io.open('/dev/urandom', 'rb').read(1)",
    "import contextlib\ndef f(x): return contextlib.os.getloadavg()",
    "import statistics\ndef f(x): return statistics.random.random()",
    "from enum import sys",
    "from typing import *",
    "import collections.abc\ndef f(x): return collections.abc.sys.modules",
    "import datetime\ndef f(x): return datetime.datetime.now()",
    "from datetime import date\ndef f(x): return date.today()",
    "import operator\ndef f(x): return operator.attrgetter('s' + 'ys')(x)",
    "import string\ndef f(x): return string.Formatter().get_field('0.s' + 'ys', (string,), {})",
    "import array\ndef f(x): return array.array('i').buffer_info()",
    "import re\ndef f(x):\n match re:\n  case object(enum=e):\n   match e:\n    case object(sys=s): return s",
    "def f(x):\n match x:\n  case Spy(s): return s",
    "def f(x): return \uff49d(x)",  # a wide i, which the language takes for the plain one
    "def f(x: # {",
    "# coding: utf-7\ndef f(x): return +AGkAZA-(x) # {",
    "#coding=latin-1\ndef f(x): return {x: 1}",
    "def f(x): return {1: 2}\n" + "# more than is parsed\n" * 9_000,
]
STEADY = [
    "def f(x): return x + 1",
    "def f(x): return {1: x - 1}",
    "def f(x):\n    # at this time a random hash would do\n    return x",
    'def f(x):\n    """Sets the id of the os object, {like} that."""\n    return x',
    "from typing import List\ndef f(x: List[int]) -> List[int]: return sorted(x)",
    "import math\nimport collections\ndef f(x): return collections.Counter(x), math.floor(x)",
    "import re\ndef f(x): return re.compile('a|b').findall(x)",
    "from dataclasses import dataclass, field\n@dataclass\nclass P:\n x: int = 0\n def __eq__(self, o): return True",
    "class P:\n def __init__(self, id, time): self.id, self.time = 1, time\n def f(self): return self.time",
    "class E(ValueError):\n def __init__(self, x): super().__init__(x)",
    "from sibling.part import name\nfrom . import other",
    "import io\ndef f(x): return io.StringIO(x).read()",
    "# -*- coding: UTF_8 -*-\ndef f(x): return {x: 1}",
]
BLIND = [
    "def f(x): return len(set(x))",
    "def f(x): return sorted(set(x) | set(x))",
    "def f(x): return x in {'a', 'b'}",
    "def f(x): return set(x) == {y for y in x}",
    "def f(x): return set(x).issubset({'a'})",
    "def f(x): return sorted(set(x).union(x))",
    "def f(x):\n seen = set()\n for y in x:\n  if y in seen: return y\n  seen.add(y)",
    "def f(x: set[int]) -> frozenset: return isinstance(x, set)",
    "def f(x): return [y for y in {1, 2, 3}]",
]
SHOWN = [
    "def f(x): return {x}",
    "def f(x): return {y for y in x}",
    "def f(x): return frozenset(x)",
    "def f(x): return list(set(x))",
    "def f(x): return sorted(set(x), key=len)",
    "def f(x): return min({'a', 'b'}, key=len)",
    "def f(x): return x.keys() - x.items()",
    "def f(x): return list(map(set, x))",
    "def f(x):\n seen = set()\n seen.add(x)\n return seen",
    "def f(x):\n seen = set(x)\n for y in seen: return y",
    "S = {'a', 'b'}\ndef f(x): return x in S",
    "class A:\n s = set('ab')\n def f(self): return next(iter(self.s))",
    "def f(x): return (set(x) or 1)",
    "def f(x): return ', '.join({'a', x})",
]


def times(code: str) -> int:
    """Return how often code is run again, in a tree that has a package of its own."""
    return reruns({"a.py": code.encode(), "gone.py": None}, 1, {"a.py": b"", "sibling/part.py": b""})


@pytest.mark.parametrize("code", COINS)
def test_what_may_toss_a_coin(code: str) -> None:
    """It is run four times more."""
    assert times(code) == 4


@pytest.mark.parametrize("code", [*STEADY, *BLIND])
def test_what_is_the_same_in_every_run(code: str) -> None:
    """It is run once; a set of which only the members matter is no chance."""
    assert times(code) == 0


@pytest.mark.parametrize("code", SHOWN)
def test_what_shows_the_order_of_a_set(code: str) -> None:
    """It is run under both other orders."""
    assert times(code) == 2


def test_confirmations() -> None:
    """They multiply; files that are no programs are not looked at; the most doubtful file decides."""
    assert reruns({"a.py": b"import random"}, 0) == 0
    assert reruns({"a.py": b"import random", "b.py": b"X = list({'a'})"}, 3) == 12
    assert reruns({"a.txt": b"import random"}, 1) == 0
    assert reruns({"a.py": b"TABLE = [\n" + b"    12345,\n" * 20_000 + b"]"}, 1) == 0
    assert reruns({"a.py": b"from p import x", "p/x.pyc": b"\xa7\r\r\n\0\0"}, 1) == 4


def test_sets_of_others() -> None:
    """Those that a test hands over count, and those of modules that the candidate names; no others, and no chance."""
    code = {"a.py": b"from helpers import tags\ndef f(x): return tags(x)"}
    tree = {**code, "pack/helpers.py": b"def tags(x): return set(x)"}
    assert reruns(code, 1, {"a.py": b"", "helpers.py": b"import random\ndef tags(x): return sorted(set(x))"}) == 0
    assert reruns(code, 1, {"a.py": b"", "helpers.py": b"def tags(x): return set(x)"}) == 2
    assert reruns({"a.py": b"from .helpers import tags"}, 1, tree) == 2
    assert reruns({"a.py": b"from pack import helpers"}, 1, tree | {"pack/__init__.py": b""}) == 2
    assert reruns({"a.py": b"X = 1"}, 1, tree) == 0
    steady = {"a.py": b"def f(x): return list(x)"}
    assert reruns(steady, 1, steady, {"t.py": b"def test_f(): assert f({'a', 'b'}) == ['a', 'b']"}) == 2
    assert reruns(steady, 1, steady, {"t.py": b"def test_f(): assert set(f('ab')) == {'a', 'b'}"}) == 0
    assert reruns(steady, 1, steady, {"t.py": b"def broken(:", "t.txt": b"{x for x in y}"}) == 0


def test_the_words_of_a_program_say_no_less_than_its_syntax() -> None:
    """A comment in another script, which only the syntax tells from a name, changes no answer."""
    for code in [*COINS, *STEADY, *BLIND, *SHOWN]:
        assert times(f"{code}\n# {{\u00e9}}\n") == times(code), code


def test_every_builtin_was_thought_of() -> None:
    """A built-in is known to be steady, an exception, or one of those that are known not to be."""
    unsteady = {"__build_class__", "__doc__", "__import__", "__loader__", "__package__", "__spec__", "ascii", "locals"}
    unsteady |= {"breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "hash", "id", "open"}
    unsteady |= {"repr", "setattr", "vars"}
    # Added by site, which does not run where candidates do; by pytest and the terminal, here.
    unsteady |= {"_", "copyright", "credits", "exit", "help", "license", "quit", "@py_assert1"}
    left = {
        name
        for name, found in vars(builtins).items()
        if not (isinstance(found, type) and issubclass(found, BaseException))
        and name not in STEADY_BUILTINS
        and name not in unsteady
        and not name.startswith("@")
    }
    assert not left


def test_steady_modules_lead_to_steady_modules_only() -> None:
    """Every module that hangs on a steady one under a public or private name is steady itself, or a name that is known.

    The names of their own parts count as well: `json.decoder` leads back to `json`.
    """
    seen: set[str] = set()

    def look(module: types.ModuleType) -> None:
        if module.__name__ in seen:
            return
        seen.add(module.__name__)
        for name, found in vars(module).items():
            if isinstance(found, types.ModuleType) and name not in LEADING_AWAY and not name.startswith("__"):
                top = found.__name__.partition(".")[0]
                assert top in STEADY_MODULES, f"{module.__name__}.{name}"
                look(found)

    for name in sorted(STEADY_MODULES):
        assert name in sys.stdlib_module_names
        module = importlib.import_module(name)
        look(module)
        for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if part.name not in LEADING_AWAY and not part.name.startswith("__") and not part.ispkg:
                look(importlib.import_module(f"{name}.{part.name}"))
