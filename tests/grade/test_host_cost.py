"""What a candidate's text costs this side, which reads it before or after any sandbox: near-linear, whatever it is."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passband.grade.chance import reruns
from passband.grade.command import read_junit, read_tap, read_unittest
from passband.grade.warm import needs_full, uses_numpy, uses_packages

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 2**20
PARSED = 2**17  # more than this is not parsed
BOUND_S = 6.0  # for a busy machine; what grew with the square of the length took hours

SOURCES = {
    "empty lines": "\n" * MIB,
    "blank lines": " \n" * (MIB // 2),
    "blanks": " " * MIB,
    "empty lines after a colon": ":" + "\n" * MIB,
    "a long name": "from " + "a" * MIB,
    "a dotted name": "from a" + ".a" * (MIB // 2),
    "many froms": "from " * (MIB // 5),
    "many imports": "import " * (MIB // 7),
    "a list of names": "from a import b" + ", b" * (MIB // 3) + "!",
    "calls that import": "import_module( " * (MIB // 15),
    "an import of blanks": "import_module(" + " " * MIB,
    "a dotted name of a script": "# \u00e9\nimport a" + ".a" * (PARSED // 2 - 9),
    "a dotted name in lines": "x = {1}\nimport a" + " \\\n.a" * (PARSED // 5 - 9),
    "an f-string": "x = {f'" + "{a}" * (PARSED // 3 - 9) + "'}",
    "a long f-string": "x = {f'" + "{a}" * (MIB // 3) + "'}",
    "decorators": "x = {1}\n" + "@a\n" * (MIB // 3) + "def f(): pass",
    "accents": "a" + "\u0301\u0327" * (PARSED // 4 - 9),
    "another encoding": "# coding: punycode\n" + "a" * (PARSED // 2 - 99) + "-" + "b" * (PARSED // 2 - 99),
    "attributes": "x = {x" + ".a" * (MIB // 2) + "}",
    "brackets": "x = {" + "[" * MIB,
    "a sum": "x = {1}" + " + 1" * (MIB // 4),
}
# No more memory either: dotted names of a megabyte took all there is.
SPARE_MIB = 1024
PRINTED = {
    "a long word": "a" * MIB,
    "two long gaps": "ok " + " " * (MIB // 2) + "a" + " " * (MIB // 2) + "b",
    "numbers": "ok " + "1" * MIB,
    "heads": "a (" * (MIB // 3),
    "a head of dots": "a (" + "b." * (MIB // 2),
    "heads without an end": "a (b)\n" * (MIB // 6),
    "words after a head": "test_a (m.T) ... " + "ok" * (MIB // 2),
    "quotes after a head": "test_a (m.T) ... " + "skipped '" * (MIB // 9) + "x",
    "rules": "test_a (m.T) ... " + ("=" * 70 + "\n") * (MIB // 71),
    "bailing": "Bail out!" * (MIB // 9),
    "tests": "".join(f"ok {n} - t{n}\n" for n in range(MIB // 16)),
}
READERS: dict[str, Callable[[str], object]] = {
    "tap": read_tap,
    "unittest": read_unittest,
    "junit": lambda text: read_junit(text.encode()),
}
LOOKS: dict[str, Callable[[bytes], object]] = {
    "packages": lambda source: uses_packages([source], ()),
    "numpy": lambda source: uses_numpy([{"a.py": source}]),
    "dear modules": lambda source: needs_full([{"a.py": source}]),
    "chance": lambda source: reruns({"a.py": source}, 1, {"a.py": source}, {"t.py": source}),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", SOURCES)
def test_a_program_made_to_be_slow_to_look_at(name: str, look: str) -> None:
    """A megabyte of it is over soon: it is looked at here, where nothing bounds it."""
    source = SOURCES[name].encode()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    started = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (_used() + SPARE_MIB * MIB, limits[1]))
    try:
        LOOKS[look](source)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert time.process_time() - started < BOUND_S


def _used() -> int:
    """Return how much address space this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", PRINTED)
def test_a_report_made_to_be_slow_to_read(name: str, reader: str) -> None:
    """A megabyte of what a command prints is over soon."""
    started = time.process_time()
    READERS[reader](PRINTED[name])
    assert time.process_time() - started < BOUND_S
