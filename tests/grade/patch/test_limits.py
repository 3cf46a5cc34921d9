"""Answers made to cost time: each must be over in CPU seconds, applied or refused."""

from __future__ import annotations

import json
import time

import pytest

from passband.grade.patch import Applied

from .helpers import apply, block

MIB = 2**20
LINES = b"".join(b"%d\n" % number for number in range(150_000))
SAME = b"x\n" * (MIB // 2)
TREE = {
    "lines": LINES,
    "same": SAME,
    "small": b"x\n" * 1200,
    "one": b"x" * MIB,
    **{f"d/{n}": b"x\n" for n in range(3000)},
}


def one_hunk(start: int, old: str, new: str) -> str:
    """Write a hunk without context."""
    olds, news = (
        ("".join(f"{sign}{line}\n" for line in lines)) for sign, lines in (("-", old.split()), ("+", new.split()))
    )
    return f"@@ -{start},{len(old.split())} +{start},{len(new.split())} @@\n{olds}{news}"


def sections(make, size: int = MIB) -> str:
    """Repeat a numbered part until the text is `size` long."""
    parts: list[str] = []
    length = number = 0
    while length < size:
        parts.append(make(number))
        length += len(parts[-1])
        number += 1
    return "".join(parts)


def lines_header() -> str:
    """Head a diff of the file of numbered lines."""
    return "--- a/lines\n+++ b/lines\n"


HOSTILE = {
    "hunks in place": lambda: lines_header() + "".join(one_hunk(n + 1, str(n), f"{n}x") for n in range(0, 150_000, 4)),
    "hunks out of place": lambda: lines_header() + "".join(one_hunk(n, str(n), f"{n}x") for n in range(1, 150_000, 4)),
    "hunks of repeated lines": lambda: "--- a/same\n+++ b/same\n" + sections(lambda n: one_hunk(9**8, "x x x x", "y")),
    "one hunk of repeated lines": lambda: "--- a/same\n+++ b/same\n" + one_hunk(9**8, "x " * 300_000 + "z", "y"),
    "one hunk that ends early": lambda: "--- a/same\n+++ b/same\n@@ -1,999999999 +1 @@\n" + "-x\n" * (MIB // 3),
    "sections of one file": lambda: sections(lambda n: f"--- a/lines\n+++ b/lines\n{one_hunk(n + 1, str(n), f'{n}x')}"),
    "copies of a long file": lambda: sections(lambda n: f"diff --git a/lines b/c{n}\ncopy from lines\ncopy to c{n}\n"),
    "new files": lambda: sections(lambda n: f"diff --git a/n{n} b/n{n}\nnew file mode 100644\n", MIB // 3),
    "too many new files": lambda: sections(lambda n: f"diff --git a/n{n} b/n{n}\nnew file mode 100644\n"),
    "deep new files": lambda: sections(lambda n: f"--- /dev/null\n+++ b/{n}{'/a' * 60}\n@@ -0,0 +1 @@\n+x\n"),
    "blocks in one file": lambda: sections(lambda n: block("lines", f"{n}\n", f"{n}x\n")),
    "blocks that match twice": lambda: sections(lambda n: block("same", "x\n", "y\n")),
    "one block of repeated lines": lambda: block("same", "x\n" * 200_000 + "y\n", "z\n"),
    "blocks in a small file": lambda: sections(lambda n: block("small", "x\n" * 600 + "y\n" + "x\n" * 600, "z\n")),
    "search without an end": lambda: "a\n<<<<<<< SEARCH\n" * (MIB // 18),
    "names without blocks": lambda: "```\n" * (MIB // 4) + "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    "one long line": lambda: block("one", "x" * MIB + "\n", "y\n"),
    "git line of blanks": lambda: "diff --git a/" + " b/" * (MIB // 3) + "\n",
    "git lines of blanks": lambda: sections(lambda n: "diff --git a/" + " b/" * 1000 + "\n"),
    "quotes": lambda: 'diff --git "' + '\\"' * (MIB // 2) + "\n",
    "quoted name of escapes": lambda: 'diff --git "a/' + "\\141" * (MIB // 4) + '" b/x\n',
    "extended headers": lambda: "diff --git a/x b/x\n" + "index 1..2\n" * (MIB // 11),
    "sides without hunks": lambda: "--- \n+++ \n" * (MIB // 10),
    "dashes": lambda: "--- \n" * (MIB // 5),
    "blank lines after a hunk": lambda: lines_header() + one_hunk(1, "0", "1") + "\n" * MIB + "+x\n",
    "no-newline markers": lambda: lines_header() + "@@ -1 +1 @@\n-0\n" + "\\ No\n" * (MIB // 5),
    "nested JSON": lambda: '{"a":' * (MIB // 5),
    "many JSON keys": lambda: json.dumps({f"k{n}": "x" for n in range(60_000)}),
    "JSON name of dots": lambda: json.dumps({"./" * (MIB // 2) + "x": "x"}),
    "JSON name of letters": lambda: json.dumps({"é" * (MIB // 2): "x"}),
    "braces": lambda: "{" * MIB + "}" * MIB,
    "fences": lambda: "```\n" * (MIB // 4),
    "base64": lambda: json.dumps({"a": {"base64": "=" * MIB}}),
}


FITS = {"hunks in place", "new files", "deep new files", "one long line"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_made_to_be_slow_is_over_soon(name):
    """Near-linear, or refused once an allowance is used up; the margin is for a busy machine."""
    text = HOSTILE[name]()
    started = time.process_time()
    result = apply(text, tree=TREE)
    assert time.process_time() - started < 6
    assert isinstance(result, Applied) == (name in FITS), result
