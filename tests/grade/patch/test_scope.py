"""Which names may be touched, and which word a forbidden one gets."""

from __future__ import annotations

import json

import pytest

from passband.errors import SuiteError
from passband.grade.patch.scope import Scope

from .helpers import FILES, TREE, apply, block, changes, diff, refusal

UNSAFE = [
    "/etc/passwd",
    "//etc/passwd",
    "../x.py",
    "pkg/../../x.py",
    "pkg/../calc.py",
    "pkg/..",
    "..",
    "．．/x.py",
    "‥/x.py",
    "／etc/passwd",
    "pkg\\mod.py",
    "pkg＼mod.py",
    "..\\x.py",
    "C:/x.py",
    "c:x.py",
    "Ｃ:/x.py",
    "C：/x.py",
    "a\x00b",
    "a\nb",
    "a\rb",
    "a\tb",
    "a\x1bb",
    "a\x7fb",
    "a\x85b",
    "a\u2028b",
    "a\u2029b",
    ".git",
    ".git/config",
    ".GIT/config",
    "pkg/.git/hooks/pre-commit",
    ".git./config",
    ".git /config",
    ".g\u200cit/config",
    "\ufeff.git/config",
    "git~1/config",
    "．git/config",
    ".git::$INDEX_ALLOCATION/config",
    "pkg/.git:x",
    "pkg/.. /.. /x.py",
    "..:x/x.py",
]
FORBIDDEN = [
    "tests/test_calc.py",
    "tests/new.py",
    "Tests/test_calc.py",
    "TESTS/TEST_CALC.PY",
    "tests./x",
    "tests /x",
    "te\u200dsts/x",
    "ｔests/x",
    "teſts/x",
    "tests／x",
    "./tests/x",
    "tests//x",
    "tests/./x",
    "tests",
    "Tests",
    "conftest.py",
    "pkg/conftest.py",
    "pkg/ConfTest.py",
    "pkg/conftest.py.",
    "conftest.py/x",
    "pkg/conftest.py::$DATA",
    "pkg/conftest.py .：x",
    "tests::$INDEX_ALLOCATION/x",
    "a/__pycache__/x.py",
    "a/__pycache__",
    "x.pth",
    "pkg/X.PTH",
    "pyproject.toml",
    ".github/workflows/ci.yml",
    ".github",
]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_name_that_leads_out_of_the_tree_is_a_safety_violation_under_any_policy(path):
    """Absolute, climbing, with foreign separators, control characters or .git, in any Unicode disguise."""
    assert refusal(json.dumps({path: "x"}), FILES, forbidden=())[0] == "safety_violation"


@pytest.mark.parametrize("path", FORBIDDEN)
def test_a_name_some_disk_takes_for_a_forbidden_one_is_a_safety_violation(path):
    """Case, compatibility forms, invisible characters, dots and blanks at the end, streams; a file for the folder."""
    word, detail = refusal(json.dumps({path: "x"}), FILES)
    assert word == "safety_violation"
    assert "forbidden by" in detail


@pytest.mark.parametrize(
    "path", ["a..b/..c", "git/x", ".gitignore", ".github2/x", "testsuite/x", "a/tests/x", "é.py", "a/7:00"]
)
def test_a_name_that_merely_looks_like_a_forbidden_one_is_allowed(path):
    """No veto without a reason."""
    assert changes(json.dumps({path: "x"}), FILES) == {path: b"x"}


def test_an_exception_to_what_is_forbidden():
    """A file that a later glob with ``!`` names may be touched, and nothing beside it."""
    globs = ("tests/**", "!tests/data.py")
    assert changes('{"tests/data.py": "x"}', FILES, forbidden=globs) == {"tests/data.py": b"x"}
    for path in ("tests/other.py", "tests/data.py/x", "tests"):
        assert refusal(json.dumps({path: "x"}), FILES, forbidden=globs)[0] == "safety_violation"


def test_a_combining_spelling_of_a_forbidden_name_is_that_name():
    """NFD and NFC are one file on some disks."""
    assert refusal('{"cafe\u0301.py": "x"}', forbidden=("caf\u00e9.py",))[0] == "safety_violation"
    assert refusal('{"caf\u00e9.py": "x"}', forbidden=("cafe\u0301.py",))[0] == "safety_violation"


@pytest.mark.parametrize(
    ("path", "allowed", "inside"),
    [
        ("calc.py", ("calc.py",), True),
        ("./calc.py", ("calc.py",), True),
        ("sub/calc.py", ("calc.py",), False),
        ("Calc.py", ("calc.py",), False),
        ("calc.pyx", ("calc.py",), False),
        ("sub/calc.py", ("**/calc.py",), True),
        ("sub/calc.py", ("*.py",), True),
        ("pkg/a/b.py", ("pkg/**",), True),
        ("pkg/a/b.py", ("pkg",), True),
        ("pkg/a/b.py", ("pkg/",), True),
        ("pkg/a/b.py", ("pkg/*.py",), False),
        ("new/pkg/a.py", ("pkg",), False),
        ("pkgs/a.py", ("pkg/**",), False),
        ("pkg/gen/a.py", ("pkg/**", "!pkg/gen/**"), False),
        ("caf\u00e9.py", ("cafe\u0301.py",), False),
        ("a.py", (), False),
    ],
)
def test_allowed_files_are_matched_exactly(path, allowed, inside):
    """Gitignore globs, case and spelling as they stand; a bare name means the file at the top."""
    result = apply(json.dumps({path: "x"}), FILES, tree={}, allowed=allowed)
    assert getattr(result, "outcome", None) == (None if inside else "out_of_scope")


@pytest.mark.parametrize(
    ("glob", "inside"), [("notes.txt", False), ("*.txt", False), ("notes.txt/**", True), ("**", True)]
)
def test_a_file_turned_into_a_folder_lets_nothing_in(glob, inside):
    """The glob of a file does not allow what an answer puts below it; only one for what lies in a folder does."""
    files = {"notes.txt": None, "notes.txt/evil.py": "x"}
    result = apply(json.dumps(files), FILES, tree={"notes.txt": b"n\n"}, allowed=("notes.txt", glob))
    assert getattr(result, "outcome", None) == (None if inside else "out_of_scope")


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("setup.py", "safety_violation"),
        ("pkg/setup.py", None),
        ("pkg/conftest.py", "safety_violation"),
        ("conftest.py", "safety_violation"),
        ("Setup.py", "out_of_scope"),
        ("Tests/test_calc.py", "out_of_scope"),
        ("tests", "out_of_scope"),
        ("pkg/Conftest.py", "safety_violation"),
        ("pkg/tests", None),
    ],
)
def test_a_bare_forbidden_name_is_the_file_at_the_top_and_look_alikes_matter_where_they_are_allowed(path, word):
    """Elsewhere takes ``**/``; what only resembles a forbidden file may first of all be out of scope."""
    result = apply(json.dumps({path: "x"}), FILES, allowed=("calc.py", "pkg/**"))
    assert getattr(result, "outcome", None) == word


def test_forbidden_beats_allowed_and_safety_beats_scope():
    """Whatever the order in which the names come."""
    files = {"outside.py": "x", "pkg/conftest.py": "x"}
    assert refusal(json.dumps(files), allowed=("pkg/**",))[0] == "safety_violation"
    assert refusal(json.dumps({"outside.py": "x", "pkg/x.py": "x"}), allowed=("pkg/**",))[0] == "out_of_scope"


def test_a_negated_forbidden_glob_makes_an_exception_for_that_spelling_alone():
    """The exception is for the exact name; its look-alikes stay forbidden where the glob says so."""
    forbidden = ("tests/**", "!tests/data/**")
    assert changes('{"tests/data/x": "1"}', forbidden=forbidden) == {"tests/data/x": b"1"}
    assert refusal('{"tests/x": "1"}', forbidden=forbidden)[0] == "safety_violation"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("calc.py\n<<<<<<< SEARCH\nx\n", "not_applied"),
        (diff("tests/test_calc.py", "@@ -1,2 +1 @@\n-x\n"), "not_applied"),
        (block("tests/test_calc.py", "gone\n", "x\n"), "safety_violation"),
        (block("outside.py", "gone\n", "x\n"), "out_of_scope"),
        (block("calc.py", "gone\n", "x\n"), "not_applied"),
        (diff("calc.py", "@@ -1 +1 @@\n-x\n+y\n", new="tests/x.py"), "safety_violation"),
        (diff("calc.py", "@@ -1 +1 @@\n-x\n+y\n", new="outside.py"), "out_of_scope"),
    ],
)
def test_the_order_is_read_then_safety_then_scope_then_apply(text, word):
    """The first thing that is wrong gives the word."""
    assert refusal(text, allowed=("calc.py",))[0] == word


def test_touching_a_forbidden_file_without_changing_it_is_still_touching_it():
    """The veto is about names, not about bytes."""
    files = {"calc.py": "x", "tests/test_calc.py": TREE["tests/test_calc.py"].decode()}
    assert refusal(json.dumps(files))[0] == "safety_violation"


@pytest.mark.parametrize("glob", ["!", "\\"])
def test_a_glob_that_cannot_be_read_is_the_suites_fault(glob):
    """The author hears of it; no answer is blamed."""
    with pytest.raises(SuiteError, match="forbidden: .*gitignore"):
        Scope(("**",), (glob,))
    with pytest.raises(SuiteError, match="allowed_files: .*gitignore"):
        apply("", allowed=(glob,))


def test_the_reason_is_one_printable_line_whatever_the_name():
    """A hostile name cannot write to the terminal or forge a second line of a report."""
    name = "\x1b[2J\u202e\n" + "x" * 5000
    for text in (json.dumps({name[:200]: "x"}), json.dumps({name: "x"}), json.dumps({"tests/\x1b[2J\n": "x"})):
        detail = refusal(text, FILES)[1]
        assert detail.isprintable()
        assert len(detail) < 400
    assert "x'…" in refusal(json.dumps({name: "x"}), FILES)[1]
