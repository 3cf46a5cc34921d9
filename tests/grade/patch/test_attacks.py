"""Attacks of our own: each tries to get a file changed that its policy guards, or to have half of itself applied."""

from __future__ import annotations

import json

import pytest

from passband.grade.patch import Applied

from .helpers import CALC, TREE, apply, block, diff

FIX = block("calc.py", "    if x > hi:\n        return x\n", "    if x > hi:\n        return hi\n")
PWN = "@@ -1,2 +1,2 @@\n def test_clamp():\n-    assert True\n+    pass\n"
MINE = "@@ -5,2 +5,2 @@\n-        return x\n+        return hi\n     return x\n"
GIT = "diff --git a/calc.py b/calc.py\n"
TESTS = "diff --git a/tests/test_calc.py b/tests/test_calc.py\n"
VETO, SCOPE, REFUSED = "safety_violation", "out_of_scope", "not_applied"


def created(path: str, mode: str, line: str) -> str:
    """Write git's section for a new file of one line."""
    sides = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    return f"diff --git a/{path} b/{path}\nnew file mode {mode}\n{sides}"


ATTACKS = {
    "names_differ_on_the_two_sides": ("--- a/calc.py\n+++ b/tests/test_calc.py\n" + PWN, VETO),
    "git_line_and_sides_differ": (GIT + diff("tests/test_calc.py", PWN), VETO),
    "git_line_alone_names_the_tests": (TESTS + diff("calc.py", MINE), VETO),
    "git_line_alone_names_a_test_with_blanks": (
        "diff --git a/calc.py b/tests/a b.py\n" + diff("calc.py", MINE),
        VETO,
    ),
    "rename_away_the_tests": (
        "diff --git a/tests/test_calc.py b/calc2.py\nrename from tests/test_calc.py\nrename to calc2.py\n",
        VETO,
    ),
    "rename_onto_a_conftest": (
        "diff --git a/calc.py b/conftest.py\nrename from calc.py\nrename to conftest.py\n",
        VETO,
    ),
    "copy_into_the_tests": ("diff --git a/calc.py b/tests/a.py\ncopy from calc.py\ncopy to tests/a.py\n", VETO),
    "copy_headers_contradict_the_git_line": (
        GIT + "copy from calc.py\ncopy to tests/a.py\n" + diff("calc.py", MINE),
        VETO,
    ),
    "delete_the_tests": ("--- a/tests/test_calc.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n", VETO),
    "mode_change_of_the_tests": (TESTS + "old mode 100644\nnew mode 100755\n", VETO),
    "binary_change_of_the_tests": (TESTS + "GIT binary patch\nliteral 0\nHcmV?d00001\n\n", VETO),
    "octal_quoted_traversal": ('--- /dev/null\n+++ "b/\\056\\056/x.py"\n@@ -0,0 +1 @@\n+x\n', VETO),
    "nul_in_a_quoted_name": ('--- /dev/null\n+++ "b/calc.py\\000.txt"\n@@ -0,0 +1 @@\n+x\n', VETO),
    "line_feed_in_a_quoted_name": ('--- /dev/null\n+++ "b/a\\nb"\n@@ -0,0 +1 @@\n+x\n', VETO),
    "absolute_path_behind_the_prefix": ("--- /dev/null\n+++ b//etc/passwd\n@@ -0,0 +1 @@\n+x\n", VETO),
    "absolute_path_without_prefix": ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-x\n+y\n", VETO),
    "new_symbolic_link": (created("lnk", "120000", "/etc/passwd"), VETO),
    "file_becomes_a_symbolic_link": (GIT + "old mode 100644\nnew mode 120000\n" + diff("calc.py", MINE), VETO),
    "symbolic_link_told_by_the_index_line_alone": (
        GIT + "index 927cc34..d0deff0 120000\n" + diff("calc.py", MINE),
        VETO,
    ),
    "deleted_symbolic_link": (GIT + "deleted file mode 120000\n", VETO),
    "submodule": (created("sub", "160000", "Subproject commit 1"), VETO),
    "symbolic_link_then_a_file_through_it": (created("d", "120000", "/tmp") + created("d/x", "100644", "x"), VETO),
    "symbolic_link_behind_a_harmless_file": (diff("calc.py", MINE) + created("lnk", "120000", "/etc"), VETO),
    "second_file_hidden_after_prose": (
        diff("calc.py", MINE) + "\nthat is all\n" + diff("tests/test_calc.py", PWN),
        VETO,
    ),
    "second_file_hidden_after_the_signature": (
        diff("calc.py", MINE) + "-- \n2.39.2\n\n" + diff("tests/test_calc.py", PWN),
        VETO,
    ),
    "second_file_in_another_fence": (
        "```diff\n" + diff("calc.py", MINE) + "```\n```diff\n" + diff("tests/test_calc.py", PWN) + "```\n",
        VETO,
    ),
    "crlf_headers": (diff("tests/test_calc.py", PWN).replace("\n", "\r\n"), VETO),
    "time_stamp_behind_a_quoted_name": (
        '--- "a/tests/test_calc.py"\t2026\n+++ "b/tests/test_calc.py"\t2026\n' + PWN,
        VETO,
    ),
    "decorated_block_name": (block("**`tests/test_calc.py`**:", "x\n", "y\n"), VETO),
    "block_name_with_a_blank_in_front": (block("  tests/test_calc.py", "x\n", "y\n"), VETO),
    "second_block_elsewhere": (FIX + block("tests/test_calc.py", "x\n", "y\n"), VETO),
    "json_key_in_escapes": ('{"calc.py": "x", "te\\u0073ts/test_calc.py": "y"}', VETO),
    "json_deletes_the_tests": ('{"tests/test_calc.py": null}', VETO),
    "git_attributes_of_the_repository": ('{".git/info/attributes": "* -text"}', VETO),
    "file_in_the_place_of_the_test_folder": ('{"tests": "x"}', SCOPE),
    "rename_out_of_scope": ("diff --git a/README b/calc2.py\nrename from README\nrename to calc2.py\n", SCOPE),
    "copy_source_out_of_scope": ("diff --git a/README b/pkg/a.py\ncopy from README\ncopy to pkg/a.py\n", SCOPE),
    "empty_section_out_of_scope": (diff("calc.py", MINE) + "diff --git a/README b/README\n", SCOPE),
    "module_beside_the_allowed_one": ('{"other/calc.py": "x"}', SCOPE),
    "count_hides_the_last_lines": (diff("calc.py", MINE) + "+    import os\n", REFUSED),
    "count_swallows_the_next_header": (
        diff("calc.py", MINE.replace("-5,2", "-5,3").replace("+5,2", "+5,3")) + diff("tests/test_calc.py", PWN),
        REFUSED,
    ),
    "hunk_without_a_header": (diff("calc.py", MINE) + "prose\n" + MINE, REFUSED),
    "json_with_two_values_for_a_key": ('{"calc.py": "x", "calc.py": "y"}', REFUSED),
    "json_with_two_spellings_of_a_file": ('{"calc.py": "x", "./calc.py": "y"}', REFUSED),
    "twin_of_a_file_on_other_disks": ('{"pkg/MOD.py": "x"}', REFUSED),
    "file_used_as_a_folder": ('{"pkg/mod.py/x.py": "x"}', REFUSED),
    "diff_beside_blocks": (FIX + "\n" + diff("tests/test_calc.py", PWN), REFUSED),
    "nested_block": ("calc.py\n<<<<<<< SEARCH\n" + FIX + "=======\n>>>>>>> REPLACE\n", REFUSED),
    "no_line_feed_in_mid_file": (
        diff("calc.py", "@@ -5 +5 @@\n-        return x\n+        return hi\n\\ No newline at end of file\n"),
        REFUSED,
    ),
    "reversed_diff": (
        diff("calc.py", MINE.replace("-   ", "~   ").replace("+   ", "-   ").replace("~   ", "+   ")),
        REFUSED,
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_its_word_and_changes_nothing(name):
    """The guarded file stays as it is, and so does everything else."""
    text, word = ATTACKS[name]
    before = dict(TREE)
    result = apply(text, allowed=("calc.py", "calc2.py", "pkg/**", "d/**", "lnk", "sub"))
    assert not isinstance(result, Applied)
    assert (result.outcome.value, before) == (word, TREE), result.detail


def test_the_harmless_core_of_the_attacks_is_applied():
    """What the attacks are built around does fit, so it is the attack that is refused."""
    fixed = CALC.replace(b"hi:\n        return x", b"hi:\n        return hi")
    for text in (FIX, diff("calc.py", MINE), json.dumps({"calc.py": fixed.decode()})):
        result = apply(text, allowed=("calc.py",))
        assert isinstance(result, Applied)
        assert result.changes == {"calc.py": fixed}
    assert isinstance(apply(diff("tests/test_calc.py", PWN), forbidden=()), Applied)
