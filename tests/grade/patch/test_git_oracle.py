"""Git as the second opinion: its diffs are read, and what it applies exactly is applied to the same bytes.

Where the two part, ours is the stricter one, for these reasons and no others:

* a hunk off its line that fits in several places: git takes the nearest, we refuse;
* lines git skips as noise: after a hunk beyond what its header counts, between a file's header and its hunks, a second
  header line or marker of the same kind; we refuse;
* a hunk without context or removed lines: git puts it at the end of the file, we refuse.

Where ours is the laxer one: git wants a hunk that names line 0 or 1 at the very start of the file, and one without
context at its end at the very end. ``--unidiff-zero`` lifts that (but for line 0), and then it agrees. Git also
wants the last line feed of the diff itself, which we restore, and line feeds alike in a diff and its file, for which
there are tests of their own.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from passband.grade.patch import Applied, Refused, apply_answer
from passband.records import Answer, AnswerFormat

if TYPE_CHECKING:
    from pathlib import Path

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is the oracle")
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CEILING_DIRECTORIES": "/",
    "LC_ALL": "C",
}
NAMES = ["f.py", "g h.py", "d/é.py", 'd/q"u.py', "d/e/x b/y.py", "z"]
STRICTER = re.compile("more lines follow|neither context nor removed lines|no hunk follows|marker for a missing|twice")


def git(folder: Path, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git outside any repository, with nobody's settings."""
    return subprocess.run([GIT, *arguments], cwd=folder, input=text, env=ENVIRONMENT, capture_output=True, check=False)


def put(folder: Path, tree: dict[str, bytes]) -> None:
    """Write a tree to an empty folder."""
    folder.mkdir(exist_ok=True)
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def get(folder: Path) -> dict[str, bytes]:
    """Read a tree back."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def content(rng: random.Random, lines: int) -> bytes:
    """Make a file of few different lines, so that hunks fit in several places, and of any line ending."""
    words = [
        b"",
        b"x",
        b"y",
        b"  z",
        b"w\r",
        b"\xff\xc2\x85",
        *(b"%d" % number for number in range(rng.choice([2, 50]))),
    ]
    ending = rng.choice([b"\n", b"\n", b"\r\n"])
    text = b"".join(rng.choice(words) + ending for _ in range(rng.randrange(lines)))
    return text[: -len(ending)] if rng.random() < 0.3 else text


def edited(rng: random.Random, text: bytes) -> bytes:
    """Change a few lines of a file."""
    lines = text.split(b"\n")
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines))
        lines[at : at + rng.randrange(3)] = [rng.choice([b"new", b"x", b""])] * rng.randrange(3)
        lines = lines or [b""]
    return b"\n".join(lines)


def two_trees(rng: random.Random) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Make a tree and what became of it: edits, creations, deletions, renames, copies."""
    before = {path: content(rng, 30) for path in rng.sample(NAMES, 3)}
    after = {}
    for path, text in before.items():
        fate = rng.choice(["edit", "edit", "keep", "delete", "move", "copy"])
        if fate in {"edit", "keep", "copy"}:
            after[path] = edited(rng, text) if fate == "edit" else text
        if fate in {"move", "copy"}:
            after[f"{fate}d {path}"] = edited(rng, text) if rng.random() < 0.5 else text
    if rng.random() < 0.4:
        after["created"] = content(rng, 5)
    return before, after


def ours(patch: bytes, tree: dict[str, bytes]) -> Applied | Refused:
    """Apply a diff under no policy."""
    answer = Answer(patch, AnswerFormat.UNIFIED_DIFF)
    return apply_answer(answer, tree, allowed_files=["**"], forbidden=[])


def stored(folder: Path, tree: dict[str, bytes]) -> str:
    """Make a tree known to the repository in a folder and return git's name for it."""
    for path in get(folder):
        if not path.startswith(".git/"):
            (folder / path).unlink()
    put(folder, tree)
    git(folder, "add", "--all", "--force")
    return git(folder, "write-tree").stdout.decode().strip()


def check_reading(rng: random.Random, folder: Path) -> bool:
    """Compare two trees with git and apply its diff, forwards and in reverse; False if they are equal."""
    before, after = two_trees(rng)
    old, new = stored(folder, before), stored(folder, after)
    moves = rng.choice([["--no-renames"], ["-M20%"], ["-M20%", "-C20%", "--find-copies-harder"]])
    prefixes = rng.choice([[], ["--no-prefix"], ["--src-prefix=i/", "--dst-prefix=w/"]])
    options = [f"-U{rng.choice([1, 2, 3, 9])}", "--text", *moves, *prefixes, *rng.choice([[], ["--patience"]])]
    for direction in ([], ["-R"]):
        source, target = (after, before) if direction else (before, after)
        quoting = f"core.quotePath={rng.choice(['true', 'false'])}"
        patch = git(folder, "-c", quoting, "diff", *options, *direction, old, new).stdout
        if before == after:
            assert patch == b""
            return False
        result = ours(patch, source)
        assert isinstance(result, Applied), (result, patch, source)
        assert result.tree(source) == target, (patch, source)
    return True


def check_applying(rng: random.Random, folder: Path) -> str:
    """Damage a diff or its tree and apply it with git and with ours; return what came of it."""
    before = {"f": content(rng, 25)}
    put(folder / "a", before)
    put(folder / "b", {"f": edited(rng, before["f"])})
    patch = git(folder, "diff", "--no-index", "--no-prefix", f"-U{rng.randrange(4)}", "a", "b").stdout
    tree = {"f": edited(rng, before["f"])} if rng.random() < 0.5 else before
    if rng.random() < 0.6:
        shift = rng.randrange(-3, 4)
        patch = re.sub(rb"(?<=[-+])(\d+)(?=,| \+| @@)", lambda m: b"%d" % max(1, int(m[1]) + shift), patch)
    if rng.random() < 0.2:
        lines = patch.split(b"\n")
        at = rng.randrange(len(lines))
        lines[at : at + 1] = rng.choice([[], [lines[at]] * 2, [b" x"], [b"+x"], [b""]])
        patch = b"\n".join(lines)
    results = []
    for option in ([], ["--unidiff-zero"]):
        put(folder / "t", tree)
        done = git(
            folder / "t", "apply", "--verbose", *option, "-", text=patch if patch.endswith(b"\n") else patch + b"\n"
        )
        results.append((get(folder / "t") if done.returncode == 0 else None, b"offset" in done.stderr))
    (strict, offset), (lax, _) = results
    result = ours(patch, tree)
    context = (result, patch, tree, results)
    if isinstance(result, Applied):
        assert result.tree(tree) == lax, context
        return "applied by both" if strict is not None else "applied by ours, and by git without its anchors"
    if strict is None or strict == tree:
        return "refused by both"
    ambiguous = offset and "more than one place" in result.detail
    assert ambiguous or STRICTER.search(result.detail), context
    return "refused by ours for a reason"


def test_git_diffs_are_read_to_the_byte(tmp_path):
    """Edits, creations, deletions, renames, copies, odd names and bytes, any context, both directions."""
    git(tmp_path, "init", "--quiet")
    outcomes = [check_reading(random.Random(seed), tmp_path) for seed in range(12)]
    assert sum(outcomes) > 9


def test_git_apply_agrees_on_damaged_diffs(tmp_path):
    """Wrong line numbers, changed trees, lost and doubled lines: the same bytes, or a known reason to be stricter."""
    outcomes = {check_applying(random.Random(seed), tmp_path) for seed in range(70)}
    assert len(outcomes) == 4


@pytest.mark.slow
def test_git_agrees_on_many_more(tmp_path):
    """The same two comparisons, at length."""
    (tmp_path / "repository").mkdir()
    (tmp_path / "loose").mkdir()  # inside a repository git would skip the files of another folder
    git(tmp_path / "repository", "init", "--quiet")
    for seed in range(1000, 1250):
        check_reading(random.Random(seed), tmp_path / "repository")
        check_applying(random.Random(seed), tmp_path / "loose")
