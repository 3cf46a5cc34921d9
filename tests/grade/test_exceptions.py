"""Exceptions of the candidate as the hidden tests see them: the same in both tiers, text and attributes alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.grade.cases import make_case

if TYPE_CHECKING:
    from passband.grade import Grading

CODE = """
import errno, json, os, subprocess, sys


class Mine(ValueError):
    def __init__(self, a, b):
        self.a, self.b = a, b
        super().__init__(f"{a}-{b}")


class Spoken(Exception):
    def __str__(self):
        return f"spoken {self.args[0] + 1}"


class Disk(OSError):
    pass


class Bunch(ExceptionGroup):
    def derive(self, excs):
        return Bunch(self.message, excs)


class Bytes(UnicodeDecodeError):
    pass


def boom(what):
    raise eval(what)


def kill():
    os.kill(999999, 0)


def missing():
    open("/nonexistent/file")


def rename():
    os.rename("/nonexistent/a", "/nonexistent/b")


def decode():
    return b"a\\xff".decode()


def load():
    json.loads("{")


def compiled():
    compile("a b", "f.py", "exec")


def absent():
    import nonexistent_module


def chained(quiet=False):
    try:
        {}["k"]
    except KeyError as error:
        if quiet:
            raise ValueError("v") from None
        raise ValueError("v") from error


def in_context():
    try:
        1 / 0
    except ZeroDivisionError:
        raise TypeError("t")


def noted():
    error = ValueError("n")
    error.add_note("see there")
    raise error


def passed_on(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error), getattr(error, "filename", None)
"""
# Expression that makes the error → what a test can see of it, as `e`.
MADE = {
    "OSError(28, 'No space left')": "str(e) == '[Errno 28] No space left' and e.filename is None and e.errno == 28",
    "OSError('plain')": "str(e) == 'plain' and e.errno is None and e.args == ('plain',)",
    "OSError()": "str(e) == '' and e.args == ()",
    "FileNotFoundError(2, 'No such', 'x.txt')": (
        "str(e) == \"[Errno 2] No such: 'x.txt'\" and e.args == (2, 'No such') and e.filename2 is None"
    ),
    "OSError(18, 'Cross', 'a', None, 'b')": "str(e) == \"[Errno 18] Cross: 'a' -> 'b'\" and e.filename2 == 'b'",
    "PermissionError(13, 'No', b'x')": "e.filename == b'x' and e.strerror == 'No'",
    "BlockingIOError(11, 'Later', 5)": "e.characters_written == 5",
    "Disk(28, 'Full')": "str(e) == '[Errno 28] Full' and e.errno == 28 and e.filename is None and e.strerror == 'Full'",
    "Disk(28, 'Full', 'd')": "str(e) == \"[Errno 28] Full: 'd'\" and e.filename == 'd' and isinstance(e, OSError)",
    "KeyError('k')": "str(e) == \"'k'\" and e.args == ('k',)",
    "StopIteration(5)": "e.value == 5",
    "StopIteration()": "e.value is None",
    "SystemExit(3)": "e.code == 3",
    "SystemExit()": "e.code is None",
    "ImportError('i', name='n', path='p')": "(e.name, e.path, e.msg) == ('n', 'p', 'i')",
    "Mine(1, 2)": "str(e) == '1-2' and (e.a, e.b) == (1, 2) and e.args == ('1-2',)",
    "Spoken(1)": "str(e) == 'spoken 2' and e.args == (1,)",
    "Bytes('ascii', b'x', 0, 1, 'why')": "e.start == 0 and e.object == b'x' and e.reason == 'why'",
    "ExceptionGroup('g', [ValueError(1), TypeError(2)])": (
        "e.message == 'g' and [type(x) for x in e.exceptions] == [ValueError, TypeError]"
    ),
    "Bunch('g', [ValueError(1)])": "e.message == 'g' and e.exceptions[0].args == (1,)",
    "subprocess.CalledProcessError(2, 'ls', 'out')": "(e.returncode, e.cmd, e.output) == (2, 'ls', 'out')",
}
DONE = {
    "kill()": "str(e) == '[Errno 3] No such process' and e.filename is None",
    "missing()": "str(e) == \"[Errno 2] No such file or directory: '/nonexistent/file'\"",
    "rename()": "e.filename == '/nonexistent/a' and e.filename2 == '/nonexistent/b' and \" -> \" in str(e)",
    "decode()": "(e.encoding, e.object, e.start, e.end) == ('utf-8', b'a\\xff', 1, 2) and 'invalid start' in str(e)",
    "load()": "e.pos == 1 and e.lineno == 1 and 'line 1 column 2' in str(e)",
    "compiled()": "(e.filename, e.lineno, e.offset, e.text) == ('f.py', 1, 3, 'a b\\n')",
    "absent()": "e.name == 'nonexistent_module' and str(e) == \"No module named 'nonexistent_module'\"",
    "chained()": "type(e.__cause__) is KeyError and str(e.__cause__) == \"'k'\" and e.__context__ is e.__cause__",
    "chained(True)": "e.__cause__ is None and e.__suppress_context__ and type(e.__context__) is KeyError",
    "in_context()": "e.__cause__ is None and type(e.__context__) is ZeroDivisionError",
    "noted()": "e.__notes__ == ['see there']",
}
PROBES = {f"boom({made!r})": seen for made, seen in MADE.items()} | DONE
_ASKS = "\n".join(
    f"def test_{n}():\n    try:\n        m.{call}\n    except BaseException as x:\n        e = x\n    assert {seen}\n"
    for n, (call, seen) in enumerate(PROBES.items())
)
# The other way round: what the candidate sees of a test's own errors.
_BACK = """
class Own(OSError):
    pass

def fail(error):
    def call():
        raise error
    return call

def test_back():
    assert m.passed_on(fail(OSError(28, "Full"))) == ("OSError", "[Errno 28] Full", None)
    assert m.passed_on(fail(OSError(2, "No", "f"))) == ("FileNotFoundError", "[Errno 2] No: 'f'", "f")
    assert m.passed_on(fail(KeyError("k"))) == ("KeyError", "'k'", None)
    assert m.passed_on(fail(Own(28, "Full", "f"))) == ("Own", "[Errno 28] Full: 'f'", "f")
"""


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_exceptions(tier: str, grading: Grading) -> None:
    """What a test can see of an exception is what the candidate raised, whichever process it comes from."""
    names = (*(f"test_{n}" for n in range(len(PROBES))), "test_back")
    # The unmodified tree cannot be imported, so that every one of the tests fails on it.
    case = make_case({"m.py": "import nothing"}, f"import m\n{_ASKS}{_BACK}", None, fail=names, tier=tier)
    run = grading.run_tests(case, {"m.py": CODE.encode()})
    calls = dict(zip(names, (*PROBES, "the other way round"), strict=True))
    failed = {calls[id_.rpartition("::")[2]]: run.outcomes[id_].why for id_ in run.failed}
    assert not failed
    assert run.tier.startswith(tier)
