"""Unified diffs, plain and git's."""

from __future__ import annotations

import pytest

from .helpers import AUTO, CALC, DIFF, TREE, changes, diff, refusal

HUNK = (
    "@@ -3,4 +3,4 @@ def clamp(x, lo, hi):\n         return lo\n     if x > hi:\n"
    "-        return x\n+        return hi\n     return x\n"
)
FIXED = {"calc.py": CALC.replace(b"hi:\n        return x", b"hi:\n        return hi")}
GIT = "diff --git a/calc.py b/calc.py\nindex 927cc34..d0deff0 100644\n"
GONE = "--- a/pkg/mod.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-X = 1\n"
MOD = "@@ -1 +1 @@\n-X = 1\n+X = 2\n"


def moved(verb: str, old: str, new: str, hunks: str = "") -> str:
    """Write git's section for a rename or a copy."""
    text = f"diff --git a/{old} b/{new}\nsimilarity index 90%\n{verb} from {old}\n{verb} to {new}\n"
    return text + (f"--- a/{old}\n+++ b/{new}\n{hunks}" if hunks else "")


@pytest.mark.parametrize("form", [AUTO, DIFF])
@pytest.mark.parametrize(
    "text",
    [
        diff("calc.py", HUNK),
        GIT + diff("calc.py", HUNK),
        "--- calc.py\n+++ calc.py\n" + HUNK,
        "--- a/calc.py\t2026-01-01 00:00:00.000 +0000\n+++ b/calc.py\t2026-01-02 00:00:00.000 +0000\n" + HUNK,
        "diff --git i/calc.py w/calc.py\n--- i/calc.py\n+++ w/calc.py\n" + HUNK,
        "diff --git b/calc.py a/calc.py\n--- b/calc.py\n+++ a/calc.py\n" + HUNK,
        "diff --git calc.py calc.py\n--- calc.py\n+++ calc.py\n" + HUNK,
        'diff --git "a/cal\\143.py" "b/cal\\143.py"\n--- "a/cal\\143.py"\n+++ "b/cal\\143.py"\n' + HUNK,
        'diff --git a/calc.py "b/cal\\143.py"\n--- a/calc.py\n+++ "b/cal\\143.py"\n' + HUNK,
        "--- a/./calc.py\n+++ b/.//calc.py\n" + HUNK,
        GIT + diff("calc.py", HUNK).rstrip("\n"),
        GIT.replace("\n", "\r\n") + diff("calc.py", "").replace("\n", "\r\n") + HUNK,
        "From 0123 Mon Sep 17\nSubject: [PATCH] fix\n\n---\n calc.py | 2 +-\n\n"
        + GIT
        + diff("calc.py", HUNK)
        + "-- \n2.39.2\n\n",
        "The bug is here:\n\n```diff\n" + diff("calc.py", HUNK) + "```\n\n- done\n",
        diff("calc.py", HUNK) + "\nIt was `x`, not `hi`.\n- one point\n",
        diff("calc.py", HUNK.replace("-3,4 +3,4", "-1,4 +1,4")),
        diff("calc.py", HUNK.replace("-3,4 +3,4", "-999999999,4 +1,4")),
        GIT.replace("100644", "100755") + "old mode 100644\nnew mode 100755\n" + diff("calc.py", HUNK),
    ],
)
def test_a_good_diff_is_applied_whatever_its_wrapping(text, form):
    """Prefixes, quoting, time stamps, mail, fences, CRLF headers and a wrong line number make no difference."""
    assert changes(text, form) == FIXED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no unified diff"),
        ("no patch here", "no unified diff"),
        (diff("calc.py", ""), "no hunk follows"),
        (diff("calc.py", "@@ ... @@\n-x\n+y\n"), "no hunk header with line numbers"),
        (diff("calc.py", "@@ -99999999999999999999,1 +1 @@\n-x\n+y\n"), "no hunk header with line numbers"),
        (diff("calc.py", "@@@ -1 -1 +1 @@@\n--x\n++y\n"), "no hunk header with line numbers"),
        (HUNK, "follows no file header"),
        (diff("calc.py", HUNK) + "\n" + HUNK, "follows no file header"),
        (diff("calc.py", HUNK.replace("-3,4", "-3,5")), "counts more lines"),
        (diff("calc.py", HUNK.replace("-3,4", "-3,3")), "fewer lines"),
        (diff("calc.py", HUNK.replace("+3,4", "+3,5")), "counts more lines"),
        (diff("calc.py", HUNK.replace("+3,4", "+3,3")), "fewer lines"),
        (diff("calc.py", HUNK) + "+    # lost\n", "more lines follow"),
        (diff("calc.py", HUNK) + "\n+    # lost after a blank\n", "more lines follow"),
        (diff("calc.py", HUNK) + "-- \n", "ok"),
        (diff("calc.py", HUNK) + "-- not a signature\n", "more lines follow"),
        (diff("calc.py", HUNK) + "--\nnot a version\n", "more lines follow"),
        (diff("calc.py", HUNK.rsplit("\n", 2)[0] + "\n"), "the answer ends"),
        (diff("calc.py", HUNK).replace("     if x", "~    if x"), "there stands '~    if x > hi:'"),
        (diff("calc.py", "@@ -1 +1 @@\n\\ No newline at end of file\n-x\n+y\n"), "follows no line"),
        (diff("calc.py", "@@ -1 +1 @@\n-x\n\\ No newline\n\\ No newline\n+y\n"), "follows no line"),
        (diff("calc.py", "@@ -1,2 +1 @@\n-x\n\\ No newline\n-z\n+y\n"), "said to end the file"),
        (diff("calc.py", "@@ -1 +1,2 @@\n-x\n+y\n\\ No newline\n+z\n"), "said to end the file"),
        ("diff --git a/calc.py b/calc.py\nGIT binary patch\nliteral 3\nKcmYdf\n\n", "binary"),
        ("diff --git a/calc.py b/calc.py\nBinary files a/calc.py and b/calc.py differ\n", "binary"),
        (diff("calc.py", HUNK) + "Binary files a/x.png and b/x.png differ\n", "binary"),
        (diff("calc.py", HUNK) + "calc.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "mixes"),
        ("diff --git a/calc.py b/calc.py\nnew mode 100644\nnew mode 100755\n", "twice"),
        ("diff --git a/calc.py b/calc.py\nnew file mode 040000\n", "odd mode"),
        ("diff --git a/calc.py b/calc.py\nnew file mode 1006444\n", "odd mode"),
        ("diff --git a/calc.py b/calc.py\nnew file mode x\n", "odd mode"),
        ("diff --git a/calc.py b/new.py\nrename from calc.py\n", "half a rename"),
        ("diff --git a/a b c\n", "names no file"),
        ('diff --git a/calc.py"\n', "names no file"),
        ('diff --git "a/calc.py\n', "no closing quote"),
        ('diff --git "a/calc.py"\n', "no second file name"),
        ('diff --git "a/c\\qalc.py" b/calc.py\n', "unknown escape"),
        ('diff --git "a/c\\400alc.py" b/calc.py\n', "unknown escape"),
        ('diff --git "a/c\\377alc.py" b/calc.py\n', "not UTF-8"),
        ('diff --git "a/\\300\\256\\300\\256/x" b/x\n', "not UTF-8"),
        ('--- "a/calc.py"x\n+++ b/calc.py\n' + HUNK, "text follows"),
        ('diff --git a/calc.py b/new.py\nrename from "calc.py"x\nrename to new.py\n', "text follows"),
        ("--- a/\n+++ b/\n" + HUNK, "does not name a file"),
        (diff("d/" * 64 + "x", HUNK), "too deep"),
        (diff("/".join(["x" * 250] * 5), HUNK), "too long"),
        (diff("calc.py", "-x\n+y\n"), "no hunk follows"),
        (diff("calc.py", HUNK) + "--- lost\n", "more lines follow"),
        (diff("calc.py", HUNK) + "-lost\n+++ lost\n", "more lines follow"),
        (diff("x" * 256, HUNK), "too long"),
    ],
)
def test_what_cannot_be_read_as_a_diff_is_not_applied(text, why):
    """Any doubt about what a line means ends it."""
    if why == "ok":
        assert changes(text, DIFF) == FIXED
        return
    word, detail = refusal(text, DIFF)
    assert word == "not_applied"
    assert why in detail


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (diff("crlf.py", "@@ -2 +2 @@\n-B = 2\r\n+B = 3\r\n"), {"crlf.py": b"A = 1\r\nB = 3\r\nC = 3\r\n"}),
        (diff("crlf.py", "@@ -2 +2 @@\n-B = 2\r\n+B = 2\n"), {"crlf.py": b"A = 1\r\nB = 2\nC = 3\r\n"}),
        (diff("crlf.py", "@@ -2 +2 @@\r\n-B = 2\r\n+B = 3\r\n"), {"crlf.py": b"A = 1\r\nB = 3\r\nC = 3\r\n"}),
        (
            diff("crlf.py", "@@ -1,2 +1,2 @@\n A = 1\n-B = 2\n+B = 3\n").replace("\n", "\r\n"),
            {"crlf.py": b"A = 1\r\nB = 3\r\nC = 3\r\n"},
        ),
        (diff("mixed.py", "@@ -2 +2 @@\n-B = 2\n+B = 3\n"), {"mixed.py": b"A = 1\r\nB = 3\nC = 3\r\n"}),
        (
            diff("noeol.py", "@@ -2 +2 @@\n-B = 2\n\\ No newline at end of file\n+B = 3\n"),
            {"noeol.py": b"A = 1\nB = 3\n"},
        ),
        (
            diff("noeol.py", "@@ -1 +1 @@\n-B = 2\n\\ No newline at end of file\n+B = 3\n"),
            {"noeol.py": b"A = 1\nB = 3\n"},
        ),
        (
            diff("noeol.py", "@@ -1,2 +1,2 @@\n-A = 1\n+A = 2\n B = 2\n\\ No newline at end of file"),
            {"noeol.py": b"A = 2\nB = 2"},
        ),
        (
            diff("crlf_noeol.py", "@@ -1,2 +1,2 @@\n-A = 1\r\n+A = 2\r\n B = 2\n\\ No newline at end of file\n"),
            {"crlf_noeol.py": b"A = 2\r\nB = 2"},
        ),
        (
            diff("pkg/mod.py", "@@ -1 +1 @@\n-X = 1\n+X = 1\n\\ No newline at end of file\n"),
            {"pkg/mod.py": b"X = 1"},
        ),
        (diff("bytes.py", "@@ -3 +3 @@\n-C = 3\n+C = 4\n"), {"bytes.py": TREE["bytes.py"].replace(b"= 3", b"= 4")}),
        (
            diff("bytes.py", "@@ -2 +2 @@\n-B = '\udcff\u2028\x0c\x85'\n+B = '\udcff'\n"),
            {"bytes.py": b"\xef\xbb\xbfA = 1\nB = '\xff'\nC = 3\n"},
        ),
        (diff("empty.py", "@@ -0,0 +1 @@\n+X = 1\n"), {"empty.py": b"X = 1\n"}),
        (diff("new.py", "@@ -0,0 +1 @@\n+X = 1\n"), {"new.py": b"X = 1\n"}),
        (diff("pkg/mod.py", "@@ -1 +0,0 @@\n-X = 1\n"), {"pkg/mod.py": b""}),
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+X = 1\n", {"new.py": b"X = 1\n"}),
        ("--- /dev/null\r\n+++ b/new.py\r\n@@ -0,0 +1 @@\r\n+X = 1\r\n", {"new.py": b"X = 1\r\n"}),
        ("--- /dev/null\n+++ new.py\n@@ -0,0 +1 @@\n+X = 1\r\n", {"new.py": b"X = 1\r\n"}),
        (GONE, {"pkg/mod.py": None}),
        (
            "diff --git a/n/__init__.py b/n/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n",
            {"n/__init__.py": b""},
        ),
        ("diff --git a/empty.py b/empty.py\ndeleted file mode 100644\n", {"empty.py": None}),
        (
            "diff --git a/pkg/sp ace.py b/pkg/sp ace.py\n" + diff("pkg/sp ace.py\t", MOD, new="pkg/sp ace.py\t"),
            {"pkg/sp ace.py": b"X = 2\n"},
        ),
        (moved("rename", "pkg/mod.py", "pkg/new.py"), {"pkg/mod.py": None, "pkg/new.py": b"X = 1\n"}),
        (moved("rename", "pkg/mod.py", "pkg/new.py", MOD), {"pkg/mod.py": None, "pkg/new.py": b"X = 2\n"}),
        (moved("rename", "pkg/mod.py", "a b b/c d.py"), {"pkg/mod.py": None, "a b b/c d.py": b"X = 1\n"}),
        (moved("copy", "pkg/mod.py", "pkg/new.py", MOD), {"pkg/new.py": b"X = 2\n"}),
        (
            diff("pkg/mod.py", MOD) + moved("copy", "pkg/mod.py", "pkg/new.py"),
            {"pkg/mod.py": b"X = 2\n", "pkg/new.py": b"X = 1\n"},
        ),
        (
            moved("rename", "pkg/mod.py", "empty.py") + moved("rename", "empty.py", "pkg/mod.py"),
            {"pkg/mod.py": b"", "empty.py": b"X = 1\n"},
        ),
        (
            diff("pkg/mod.py", MOD) + diff("pkg/mod.py", MOD.replace("= 2", "= 3").replace("= 1", "= 2")),
            {"pkg/mod.py": b"X = 3\n"},
        ),
        (
            GONE + "--- /dev/null\n+++ b/pkg/mod.py\n@@ -0,0 +1 @@\n+Y = 1\n",
            {"pkg/mod.py": b"Y = 1\n"},
        ),
    ],
)
def test_each_kind_of_change_gives_exactly_these_bytes(text, after):
    """Creation, deletion, rename, copy, missing line feeds, line endings and stray bytes."""
    assert changes(text, DIFF) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (diff("calc.py", HUNK.replace("x > hi", "x >= hi")), "does not match the file: nearest is line 3"),
        (diff("calc.py", HUNK.replace("return lo", "return  lo")), "does not match"),
        (diff("noeol.py", "@@ -2 +2 @@\n-B = 2\n+B = 3\n"), "the lines stand at line 2, but one has a line feed"),
        (
            diff("pkg/mod.py", "@@ -1 +1 @@\n-X = 1\n\\ No newline at end of file\n+X = 2\n"),
            "the lines stand at line 1, but one has a line feed",
        ),
        (diff("noeol.py", "@@ -2 +2 @@\n-= 2\n\\ No newline at end of file\n+= 3\n"), "none of its lines"),
        (
            diff("noeol.py", "@@ -2 +2 @@\n-A = 1\n\\ No newline at end of file\n+A = 3\n"),
            "stand at line 1, but one has",
        ),
        (diff("calc.py", "@@ -2,0 +3 @@\n+    pass\n"), "neither context nor removed lines"),
        (diff("crlf.py", "@@ -2 +2 @@\n-B = 2\n+B = 3\n"), "only white space differs"),
        (diff("pkg/mod.py", "@@ -1 +1 @@\n-X = 1\r\n+X = 2\r\n"), "only white space differs"),
        (diff("calc.py", HUNK).replace("\n", "\r\n"), "only white space differs"),
        (
            diff("calc.py", "@@ -1 +1 @@\n-def clamp(x, lo, hi):\n+x\n\\ No newline at end of file\n"),
            "in the middle of the file",
        ),
        (
            diff("bytes.py", "@@ -3 +3 @@\n-C = 3\n+C = 4\n@@ -1 +1 @@\n-\ufeffA = 1\n+A = 2\n"),
            "before the end of the hunk before",
        ),
        (
            diff("crlf.py", "@@ -1,2 +1 @@\n A = 1\r\n-B = 2\r\n@@ -2,2 +1,2 @@\n B = 2\r\n-C = 3\r\n+C = 4\n"),
            "before the end",
        ),
        (diff("gone.py", MOD), "does not exist"),
        ("diff --git a/gone.py b/gone.py\nold mode 100644\nnew mode 100755\n", "does not exist"),
        ("--- /dev/null\n+++ b/calc.py\n@@ -0,0 +1 @@\n+X\n", "already exists"),
        ("--- /dev/null\n+++ b/new.py\n@@ -1 +1 @@\n-X\n+Y\n", "does not match"),
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+X\n@@ -0,0 +1 @@\n+Y\n", "neither context nor"),
        ("--- a/calc.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def clamp(x, lo, hi):\n", "do not remove all"),
        ("diff --git a/calc.py b/calc.py\ndeleted file mode 100644\n", "do not remove all"),
        ("--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "does not exist"),
        (moved("rename", "gone.py", "new.py"), "does not exist"),
        (moved("copy", "gone.py", "new.py"), "does not exist"),
        (moved("rename", "calc.py", "crlf.py"), "already exists"),
        (moved("rename", "calc.py", "one.py") + moved("rename", "calc.py", "two.py"), "twice"),
        (moved("rename", "pkg/mod.py", "one.py") + "\n" + diff("pkg/mod.py", MOD), "does not exist"),
        (
            diff("pkg/mod.py", MOD) + moved("rename", "pkg/mod.py", "one.py", MOD) + diff("pkg/mod.py", MOD),
            "does not exist",
        ),
        ("diff --git a/calc.py b/calc.py\nold mode 100644\nnew mode 100755\n", "changes nothing"),
        (diff("calc.py", HUNK.replace("+        return hi", "+        return x")), "changes nothing"),
        ("diff --git a/calc.py b/calc.py\n", "changes nothing"),
        ("diff --git a/calc.py b/calc.py\n" + diff("crlf.py", HUNK), "contradicts itself"),
        (diff("calc.py", HUNK, new="crlf.py"), "contradicts itself"),
        (GIT + "--- calc.py\n+++ calc.py\n" + HUNK, "with and without a prefix"),
        ("diff --git a/calc.py b/x.py\nrename from calc.py\nrename to y.py\n", "contradicts itself"),
        ("diff --git a/a b/b b/c\nrename from calc.py\nrename to y.py\n", "contradicts itself"),
        ("diff --git a/calc.py b/calc.py\nnew file mode 100644\n" + diff("calc.py", HUNK), "contradicts itself"),
        ("diff --git a/calc.py b/calc.py\ndeleted file mode 100644\n" + diff("calc.py", HUNK), "contradicts itself"),
        ("diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", "contradicts itself"),
        ("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n", "names no file"),
        ("diff --git a/x b/y\nrename from x\nrename to y\ncopy from x\ncopy to y\n", "both renames and copies"),
    ],
)
def test_a_change_that_does_not_fit_is_not_applied(text, why):
    """No fuzz, no reversal, no half-done deletion, no header that says two things."""
    word, detail = refusal(text, DIFF)
    assert word == "not_applied"
    assert why in detail


def test_a_hunk_goes_to_its_line_even_if_its_text_stands_elsewhere_too():
    """Git writes such hunks for repeated code; the line number decides."""
    tree = {"a.py": b"x\ny\nx\ny\nx\ny\n"}
    assert changes(diff("a.py", "@@ -3,2 +3,2 @@\n x\n-y\n+z\n"), tree=tree) == {"a.py": b"x\ny\nx\nz\nx\ny\n"}


def test_a_hunk_off_its_line_must_fit_in_one_place_only():
    """With a wrong line number and two places that fit, either would be a guess."""
    word, detail = refusal(diff("a.py", "@@ -2,2 +2,2 @@\n x\n-y\n+z\n"), tree={"a.py": b"x\ny\nx\ny\n"})
    assert word == "not_applied"
    assert "more than one place" in detail


def test_hunks_count_lines_of_the_file_as_it_was():
    """Later hunks are placed by old line numbers, whatever earlier ones added."""
    tree = {"a.py": b"".join(b"%d\n" % i for i in range(20))}
    text = diff("a.py", "@@ -2 +2,3 @@\n-1\n+a\n+b\n+c\n@@ -11 +13 @@\n-10\n+z\n")
    assert changes(text, tree=tree) == {
        "a.py": tree["a.py"].replace(b"\n1\n", b"\na\nb\nc\n").replace(b"\n10\n", b"\nz\n")
    }


def test_blank_context_lines_may_have_lost_their_space():
    """Editors strip it; an empty line in a hunk is a blank context line."""
    text = diff("a.py", "@@ -1,3 +1,3 @@\n x\n\n-y\n+z\n")
    assert changes(text, tree={"a.py": b"x\n\ny\n"}) == {"a.py": b"x\n\nz\n"}


def test_a_line_that_looks_like_a_header_inside_a_hunk_is_a_line():
    """The counts decide, so '--- a/tests/x' may be a removed SQL comment."""
    tree = {"q.sql": b"-- a/tests/x\nselect 1\n"}
    text = diff("q.sql", "@@ -1,2 +1,2 @@\n--- a/tests/x\n+++ b/tests/x\n select 1\n")
    assert changes(text, tree=tree) == {"q.sql": b"++ b/tests/x\nselect 1\n"}
