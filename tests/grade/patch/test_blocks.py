"""Search/replace blocks."""

from __future__ import annotations

import pytest

from .helpers import AUTO, CALC, SR, TREE, block, changes, refusal

FIX = ("    if x > hi:\n        return x\n", "    if x > hi:\n        return hi\n")
FIXED = {"calc.py": CALC.replace(b"hi:\n        return x", b"hi:\n        return hi")}


@pytest.mark.parametrize("form", [AUTO, SR])
@pytest.mark.parametrize(
    "text",
    [
        block("calc.py", *FIX),
        block("./calc.py", *FIX),
        block("`calc.py`", *FIX),
        block("**calc.py**", *FIX),
        block("**`calc.py`**:", *FIX),
        block("### calc.py:", *FIX),
        block("# calc.py", *FIX),
        block("calc.py  ", *FIX),
        "\ufeff" + block("calc.py", *FIX),
        "Here is the fix.\n\n```python\n" + block("calc.py", *FIX) + "```\nThat is all.\n",
        "Here is the fix.\n\ncalc.py\n```python\n" + block("", *FIX).lstrip("\n") + "```\n",
        "calc.py\n\n" + block("", *FIX).lstrip("\n"),
        block("calc.py", *FIX).replace("\n", "\r\n"),
        block("calc.py", *FIX).replace("SEARCH", "SEARCH ").replace("=======", "======= "),
        block("calc.py", *FIX).rstrip("\n"),
    ],
)
def test_a_block_is_found_whatever_stands_around_it(text, form):
    """Prose, fences, decorated names, a byte order mark and CRLF transport make no difference."""
    assert changes(text, form) == FIXED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (block("calc.py", "    if x >= hi:\n", "    pass\n"), "none of its lines"),
        (block("calc.py", "if x > hi:\n    return x\n", "pass\n"), "only white space differs"),
        (block("calc.py", "    if x > hi: \n", "    pass\n"), "only white space differs"),
        (block("calc.py", "    return x\n", "    return hi\n").replace("    return x", "return x"), "white space"),
        (block("calc.py", "f x > hi:\n", "\n"), "none of its lines"),
        (block("mixed.py", "A = 1\nB = 2\n", "\n"), "line 1"),
        (block("mixed.py", "B = 2\r\n", "B = 3\r\n"), "white space"),
        (block("pkg/mod.py", "X = 1\r\n", "X = 2\n"), "white space"),
        (block("gone.py", "A = 1\n", "B = 1\n"), "does not exist"),
        (block("calc.py", "", "B = 1\n"), "empty SEARCH"),
        (block("pkg", "X\n", "Y\n"), "does not exist"),
        (block("calc.py", "\n", "pass\n"), "none of its lines"),
        (block("empty.py", "\n", "pass\n"), "none of its lines"),
        (block("noeol.py", "\n", "pass\n"), "none of its lines"),
        (block("calc.py", "    return x\n    return y\n", "\n"), "the file ends before '    return y'"),
    ],
)
def test_a_block_that_does_not_match_is_refused_with_the_nearest_place(text, why):
    """Nothing is guessed; the reason shows the line to look at."""
    word, detail = refusal(text)
    assert word == "not_applied"
    assert why in detail


def test_a_block_that_matches_twice_names_both_lines():
    """An ambiguous block is refused, and its author learns where it fits."""
    tree = {"a.py": b"x\ny\nz\nx\ny\n"}
    word, detail = refusal(block("a.py", "x\ny\n", "w\n"), tree=tree)
    assert word == "not_applied"
    assert "lines 1 and 4" in detail


def test_overlapping_matches_count_as_two():
    """'x x' stands twice in 'x x x'."""
    assert "lines 1 and 2" in refusal(block("a.py", "x\nx\n", "w\n"), tree={"a.py": b"x\nx\nx\n"})[1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("calc.py\n<<<<<<< SEARCH\nx\n=======\ny\n", "no end"),
        ("calc.py\n<<<<<<< SEARCH\nx\n", "no end"),
        ("calc.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", "one marker too many"),
        ("calc.py\n<<<<<<< SEARCH\nx\n=======\ny\n=======\nz\n>>>>>>> REPLACE\n", "one marker too many"),
        ("calc.py\n<<<<<<< SEARCH\nx\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", "one marker too many"),
        (block("calc.py", *FIX) + ">>>>>>> REPLACE\n", "stray marker"),
        (block("calc.py", *FIX) + "<<<<<<< HEAD\n", "stray marker"),
        ("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "no file name"),
        ("```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n", "no file name"),
        (block("Now change this:", *FIX), "no file name"),
        (block("pkg/", *FIX), "does not name a file"),
        ("calc.py\nx = 1\n", "no search/replace block"),
        (block("calc.py", *FIX) + "diff --git a/x b/x\n", "mixes"),
        (block("calc.py", *FIX) + "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", "mixes"),
    ],
)
def test_a_malformed_answer_is_refused_whole(text, why):
    """A good block beside a broken one counts for nothing."""
    word, detail = refusal(text, SR)
    assert word == "not_applied"
    assert why in detail


def test_blocks_are_applied_in_order_each_on_the_result_before():
    """A second block may build on the first; one that follows at once needs no name."""
    text = block("calc.py", *FIX) + block("", "        return hi\n", "        return min(x, hi)\n").lstrip("\n")
    assert changes(text) == {"calc.py": FIXED["calc.py"].replace(b"return hi", b"return min(x, hi)")}


def test_one_failing_block_undoes_the_others():
    """Nothing of the first block remains."""
    assert refusal(block("calc.py", *FIX) + block("pkg/mod.py", "Y\n", "Z\n"))[0] == "not_applied"


@pytest.mark.parametrize(
    ("path", "search", "replace", "after"),
    [
        ("crlf.py", "B = 2\n", "B = 3\nB = 4\n", b"A = 1\r\nB = 3\r\nB = 4\r\nC = 3\r\n"),
        ("crlf.py", "B = 2\r\n", "B = 3\r\n", b"A = 1\r\nB = 3\r\nC = 3\r\n"),
        ("crlf.py", "B = 2\n", "B = 3\r\n", b"A = 1\r\nB = 3\r\nC = 3\r\n"),
        ("pkg/mod.py", "X = 1\r\n", "X = 2\r\n", b"X = 2\n"),
        ("mixed.py", "B = 2\n", "B = 3\n", b"A = 1\r\nB = 3\nC = 3\r\n"),
        ("mixed.py", "A = 1\r\n", "A = 2\r\n", b"A = 2\r\nB = 2\nC = 3\r\n"),
        ("noeol.py", "B = 2\n", "B = 3\n", b"A = 1\nB = 3"),
        ("noeol.py", "A = 1\n", "A = 3\n", b"A = 3\nB = 2"),
        ("noeol.py", "B = 2\n", "", b"A = 1"),
        ("noeol.py", "A = 1\nB = 2\n", "", b""),
        ("crlf_noeol.py", "B = 2\n", "B = 3\nC = 4\n", b"A = 1\r\nB = 3\r\nC = 4"),
        ("bytes.py", "C = 3\n", "C = 4\n", TREE["bytes.py"].replace(b"C = 3", b"C = 4")),
        (
            "bytes.py",
            "B = '\udcff\u2028\x0c\x85'\n",
            "B = '\u2028\udcff'\n",
            b"\xef\xbb\xbfA = 1\nB = '\xe2\x80\xa8\xff'\nC = 3\n",
        ),
        ("pkg/mod.py", "X = 1\n", "", b""),
        ("pkg/sp ace.py", "X = 1\n", "X = 2\n", b"X = 2\n"),
        ("empty.py", "", "A = 1\n", b"A = 1\n"),
        ("new.py", "", "A = 1\n", b"A = 1\n"),
        ("new/__init__.py", "", "", b""),
        ("new/a b.py", "", "A = 1\n", b"A = 1\n"),
    ],
)
def test_line_endings_and_odd_bytes_survive(path, search, replace, after):
    """The file keeps its own line ending, its missing last line feed, its byte order mark and its stray bytes."""
    assert changes(block(path, search, replace), SR) == {path: after}


def test_a_block_that_travelled_as_crlf_fits_a_crlf_file():
    """The transport's carriage returns go, the file's stay."""
    text = block("crlf.py", "B = 2\n", "B = 3\n").replace("\n", "\r\n")
    assert changes(text) == {"crlf.py": b"A = 1\r\nB = 3\r\nC = 3\r\n"}


def test_a_file_created_by_a_block_that_travelled_as_crlf_has_line_feeds():
    """The carriage returns were the transport's."""
    assert changes(block("new.py", "", "A = 1\n").replace("\n", "\r\n")) == {"new.py": b"A = 1\n"}


def test_a_block_that_changes_nothing_is_not_applied():
    """Search equal to replace is no edit."""
    assert refusal(block("calc.py", FIX[0], FIX[0])) == ("not_applied", "the answer applies but changes nothing")
