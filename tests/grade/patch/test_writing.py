"""From two trees to an answer and back."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passband.errors import DataError
from passband.grade.patch import Applied, answer_from_trees, apply_answer, diff_trees
from passband.records import Answer, AnswerFormat

from .helpers import TREE

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a machine that is busy
HEADERS = [b"\\ No newline", b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@", b"<<<<<<< SEARCH"]
ODD = [b"\r", b"x\r", b"\xff\xfe", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\x0c"]
LINE = st.sampled_from([b"", b"x", b"y", b"-", b"+", b" ", *HEADERS, *ODD])
TEXT = st.one_of(st.lists(LINE, max_size=30).map(b"\n".join), st.binary(max_size=30))
PATH = st.sampled_from(
    ["a", "b.py", "sp ace", "d/x", "d/sp ace/y", "é/ü.py", 'quo"te', "e f/c", "x b/y", " lead", "trail "]
)
TREES = st.dictionaries(PATH, TEXT, max_size=6)


def back(answer: Answer, before: dict[str, bytes]) -> dict[str, bytes]:
    """Apply an answer that must fit to a tree."""
    result = apply_answer(answer, before, allowed_files=["**"], forbidden=[])
    assert isinstance(result, Applied), result
    return result.tree(before)


@CALM
@given(TREES, TREES)
def test_a_diff_of_two_trees_turns_one_into_the_other(before, after):
    """Whatever the bytes: CRLF, missing line feeds, not UTF-8, empty files, creations, deletions, odd names."""
    if before == after:
        assert diff_trees(before, after) == b""
        return
    assert back(Answer(diff_trees(before, after), AnswerFormat.UNIFIED_DIFF), before) == after
    assert back(answer_from_trees(before, after), before) == after


def test_the_diff_is_the_one_people_know():
    """Git's headers, three lines of context, one hunk a place."""
    before = {"a.py": b"".join(b"%d\n" % i for i in range(1, 21)), "gone": b"x", "sp ace": b"1\n"}
    after = {"a.py": before["a.py"].replace(b"\n5\n", b"\nfive\n"), "new/empty": b"", "sp ace": b"2\n"}
    assert diff_trees(before, after).decode() == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n"
        "-x\n\\ No newline at end of file\n"
        "diff --git a/new/empty b/new/empty\nnew file mode 100644\n"
        "diff --git a/sp ace b/sp ace\n--- a/sp ace\t\n+++ b/sp ace\t\n@@ -1,1 +1,1 @@\n-1\n+2\n"
    )


def test_a_quote_in_a_name_is_written_as_git_writes_it():
    """The name is quoted on every line."""
    written = diff_trees({}, {'a"b': b"x\n"})
    assert written.startswith(b'diff --git "a/a\\"b" "b/a\\"b"\nnew file mode 100644\n--- /dev/null\n+++ "b/a\\"b"\n')


def test_changes_far_apart_stand_in_hunks_of_their_own():
    """Seven unchanged lines between two changes part them, six do not."""
    for between, hunks in ((6, 1), (7, 2)):
        lines = [b"%d\n" % i for i in range(between + 2)]
        changed = [b"x\n", *lines[1:-1], b"y\n"]
        written = diff_trees({"a": b"".join(lines)}, {"a": b"".join(changed)})
        assert written.count(b"\n@@ ") == hunks


def test_binary_content_travels_as_whole_files():
    """NUL bytes rule out a diff for people to read; base64 carries what is not UTF-8."""
    before = {"a": b"\0", "b": b"x", "c": b"y\n", "gone": b"\0"}
    after = {"a": b"\0\xff", "b": b"\0", "c": b"z\n"}
    answer = answer_from_trees(before, after)
    assert answer.format is AnswerFormat.FILES
    assert json.loads(answer.payload) == {"a": {"base64": "AP8="}, "b": "\0", "c": "z\n", "gone": None}
    assert back(answer, before) == after


def test_text_travels_as_a_diff():
    """Also where it is not UTF-8."""
    assert answer_from_trees(TREE, {**TREE, "bytes.py": b"\xff"}).format is AnswerFormat.UNIFIED_DIFF


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a//b", "./a", "", "a\nb", ".git/x", "a\\b", "\udc80", "d/" * 600 + "x"]
)
def test_a_tree_with_a_path_no_answer_may_carry_is_an_error(path):
    """Better told here than by a refusal later."""
    with pytest.raises(DataError, match="tree: "):
        diff_trees({}, {path: b"x"})
    with pytest.raises(DataError, match="tree: "):
        answer_from_trees({path: b"x"}, {})


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: [rng.choice([b"x\n", b"y\n"]) for _ in range(20_000)],
        lambda rng: [b"%d\n" % rng.randrange(150) for _ in range(20_000)],
        lambda rng: [b"%d\n" % rng.randrange(10**6) for _ in range(20_000)],
        lambda rng: [b"x\n", b"y\n"] * rng.randrange(9_000, 10_000),
        lambda rng: [rng.choice([b"x\n", b"y\n"]) for _ in range(199)],
        lambda rng: [b"%d\n" % (i * rng.step % 120) for i in range(12_000)],
    ],
    ids=["two lines", "few lines", "all different", "periodic", "short", "strides"],
)
def test_a_diff_of_hard_inputs_stays_fast_and_exact(make):
    """What difflib would take minutes over is replaced as a whole."""
    rng = random.Random(7)
    trees = []
    for rng.step in (1, 7):
        trees.append({"a": b"".join(make(rng))})
    before, after = trees
    started = time.process_time()
    written = diff_trees(before, after)
    assert time.process_time() - started < 3
    assert back(Answer(written, AnswerFormat.UNIFIED_DIFF), before) == after
