"""Whole files as a JSON object, and how the format of an answer is found."""

from __future__ import annotations

import json

import pytest

from passband.grade.patch import Applied
from passband.records import AnswerFormat

from .helpers import AUTO, FILES, TREE, apply, block, changes, diff, refusal


@pytest.mark.parametrize(
    "text",
    [
        '{"pkg/mod.py": "X = 2\\n"}',
        '\n {"pkg/mod.py": "X = 2\\n"}\n',
        '\ufeff{"./pkg//mod.py": "X = 2\\n"}',
        '{"pkg/mod.py": {"base64": "WCA9IDIK"}}',
        '{"pkg/mod.py": "X = 2\\n", "calc.py": ' + json.dumps(TREE["calc.py"].decode()) + "}",
    ],
)
@pytest.mark.parametrize("form", [AUTO, FILES])
def test_a_json_object_gives_whole_files(text, form):
    """Text or base64, by path; a file given as it already is counts as untouched."""
    assert changes(text, form) == {"pkg/mod.py": b"X = 2\n"}


def test_whole_files_create_delete_and_keep_every_byte():
    """Null deletes; content is taken as it stands, line endings and all."""
    text = json.dumps({"new/a.py": "\ufeffA\r\nB\u2028\x0c\x00", "calc.py": None, "crlf.py": "A\n"})
    after = {"new/a.py": b"\xef\xbb\xbfA\r\nB\xe2\x80\xa8\x0c\x00", "calc.py": None, "crlf.py": b"A\n"}
    assert changes(text, FILES) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ('["calc.py"]', "not a JSON object"),
        ('"calc.py"', "not a JSON object"),
        ("{}", "not a JSON object"),
        ('{"calc.py": "x"', "not a JSON object"),
        ('{"calc.py": "x"} and more', "not a JSON object"),
        ("{'calc.py': 'x'}", "not a JSON object"),
        (b'{"calc.py": "\xff"}', "not a JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"calc.py": ' + "9" * 5000 + "}", "not a JSON object"),
        ('{"calc.py": "x", "calc.py": "y"}', "holds a key twice"),
        ('{"calc.py": "x", "./calc.py": "y"}', "named twice"),
        ('{"calc.py": 1}', "neither a string"),
        ('{"calc.py": ["x"]}', "neither a string"),
        ('{"calc.py": {"base64": 1}}', "neither a string"),
        ('{"calc.py": {"base64": "eA==", "x": 1}}', "neither a string"),
        ('{"calc.py": {"base64": "e"}}', "cannot be decoded"),
        ('{"calc.py": {"base64": "eA==\\n"}}', "cannot be decoded"),
        ('{"calc.py": {"base64": "é"}}', "cannot be decoded"),
        ('{"calc.py": "\\ud800"}', "cannot be decoded"),
        ('{"\\ud800": "x"}', "not UTF-8"),
        ('{"": "x"}', "does not name a file"),
        ('{".": "x"}', "does not name a file"),
        ('{"pkg/": "x"}', "does not name a file"),
        ('{"pkg/.": "x"}', "does not name a file"),
        ('{"gone.py": null}', "does not exist"),
        ('{"pkg": "x"}', "it is a folder"),
        ('{"calc.py/x.py": "x"}', "'calc.py' is a file, not a folder"),
        ('{"new": "x", "new/x": "y"}', "'new' cannot be created: it is a folder"),
        ('{"Calc.py": "x"}', "the file 'calc.py'"),
        ('{"ﬁ.py": "x", "FI.py": "y"}', "on some disks it is the file"),
        ('{"calc.py.": "x"}', "the file 'calc.py'"),
    ],
)
def test_an_object_that_is_no_set_of_files_is_not_applied(text, why):
    """Malformed JSON, two values for one name, content that cannot be decoded, a tree that cannot exist."""
    word, detail = refusal(text, FILES)
    assert word == "not_applied"
    assert why in detail


def test_a_file_may_become_a_folder():
    """What counts is the tree afterwards."""
    after = {"calc.py": None, "calc.py/__init__.py": b"", "pkg/mod.py": None, "pkg/sp ace.py": None, "pkg": b"x"}
    text = json.dumps({path: None if content is None else content.decode() for path, content in after.items()})
    assert changes(text) == after


def test_a_file_may_change_the_case_of_its_name():
    """The old spelling is gone, so there is no twin."""
    after = {"calc.py": None, "Calc.py": b"x"}
    assert changes('{"calc.py": null, "Calc.py": "x"}') == after


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"pkg/mod.py": "X = 2\\n"}', AnswerFormat.FILES),
        ('Here:\n```json\n{"pkg/mod.py": "X = 2\\n"}\n```\nDone.', AnswerFormat.FILES),
        (block("pkg/mod.py", "X = 1\n", "X = 2\n"), AnswerFormat.SEARCH_REPLACE),
        (diff("pkg/mod.py", "@@ -1 +1 @@\n-X = 1\n+X = 2\n"), AnswerFormat.UNIFIED_DIFF),
    ],
)
def test_the_format_is_found(text, form):
    """The summary says which one was read, and what happened to which file."""
    result = apply(text)
    assert isinstance(result, Applied)
    assert result.summary.startswith(f"{form.value}: ")
    assert result.summary.endswith(" pkg/mod.py")


def test_the_summary_says_what_happened_to_each_file():
    """Created, written or deleted."""
    result = apply('{"new.py": "x", "calc.py": "x", "pkg/mod.py": null}')
    assert isinstance(result, Applied)
    assert result.summary == "files: created new.py, wrote calc.py, deleted pkg/mod.py"


def test_the_summary_stays_short():
    """Of many files it names five."""
    for count, summary in ((5, "created 0, created 1, created 2, created 3, created 4"), (7, "created 4 and 2 more")):
        result = apply(json.dumps({str(number): "x" for number in range(count)}))
        assert isinstance(result, Applied)
        assert result.summary.endswith(summary)


@pytest.mark.parametrize(
    ("text", "form", "why"),
    [
        ("", AUTO, "empty"),
        (" \n", AUTO, "empty"),
        ("I could not find the bug.", AUTO, "no patch"),
        ("```python\nx = 1\n```\n", AUTO, "no patch"),
        ("```\n{}\n```\n```\n{}\n```\n", AUTO, "no patch"),
        ("{oops}", AUTO, "not a JSON object"),
        ("x", AnswerFormat.TEXT, "plain text"),
        (block("pkg/mod.py", "X = 1\n", "X = 2\n"), AnswerFormat.UNIFIED_DIFF, "mixes"),
        (diff("pkg/mod.py", "@@ -1 +1 @@\n-X = 1\n+X = 2\n"), AnswerFormat.SEARCH_REPLACE, "mixes"),
        ("x" * (8 * 2**20 + 1), AUTO, "8.0 MiB long"),
    ],
)
def test_an_answer_without_a_patch_is_not_applied(text, form, why):
    """It says what was looked for."""
    word, detail = refusal(text, form)
    assert word == "not_applied"
    assert why in detail


def test_the_base_tree_is_never_touched_and_the_new_one_is_complete():
    """The new tree is a new mapping: base plus changes minus deletions."""
    before = dict(TREE)
    result = apply('{"calc.py": null, "new.py": "x"}')
    assert isinstance(result, Applied)
    after = result.tree(TREE)
    assert before == TREE
    assert after == {**{path: content for path, content in TREE.items() if path != "calc.py"}, "new.py": b"x"}
