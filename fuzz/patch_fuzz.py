"""Throw damaged answers at the patch applier and check what must hold for any input.

    python fuzz/patch_fuzz.py --runs 1000000 --seed 1        a mutator of our own that knows the formats
    python fuzz/patch_fuzz.py --atheris CORPUS -runs=100000   coverage-guided, where atheris is installed

Whatever comes in: no exception, the same result twice, no path outside the tree or under a forbidden glob, no change
without a difference, no file that is also a folder, every line from the answer or the tree, and a way back.
"""

from __future__ import annotations

import argparse
import posixpath
import random
import sys
import time
from collections import Counter
from pathlib import Path

from passband.grade.patch import Applied, answer_from_trees, apply_answer
from passband.records import DEFAULT_FORBIDDEN, Answer, AnswerFormat

__all__ = ["SEEDS", "TOKENS", "TREE", "check", "mutated"]

FORMS = (AnswerFormat.AUTO, AnswerFormat.SEARCH_REPLACE, AnswerFormat.UNIFIED_DIFF, AnswerFormat.FILES)
TREE = {
    "a.py": b"x\ny\nx\nz\n",
    "d/crlf.py": b"x\r\ny\r\n",
    "d/noeol.py": b"x\ny",
    "d/mixed.py": b"x\r\ny\nz",
    "empty.py": b"",
    "bytes.py": b"\xef\xbb\xbfx\n\xff\xe2\x80\xa8\x0c\n",
    "sp ace.py": b"x\n",
    "tests/test_a.py": b"x\n",
}

_BLOCK = b"a.py\n<<<<<<< SEARCH\ny\n=======\nw\n>>>>>>> REPLACE\n"
_HUNK = b"@@ -1,4 +1,4 @@\n x\n-y\n+w\n x\n z\n"
_PLAIN = b"--- a/a.py\n+++ b/a.py\n" + _HUNK
_NO_EOL = b"\\ No newline at end of file\n"
_MOVE = b"diff --git a/%b b/%b\nsimilarity index 90%%\n%b from %b\n%b to %b\n"
SEEDS = (
    _BLOCK,
    _BLOCK + b"\nsp ace.py\n```python\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n```\n",
    b"new.py\n<<<<<<< SEARCH\n=======\nw\n>>>>>>> REPLACE\n",
    b"d/noeol.py\n<<<<<<< SEARCH\r\ny\r\n=======\r\nw\r\n>>>>>>> REPLACE\r\n",
    _PLAIN,
    b"Subject: fix\n\n---\n a.py | 2 +-\n\ndiff --git a/a.py b/a.py\nindex 1..2 100644\n" + _PLAIN + b"-- \n2.39.2\n",
    b"Here:\n```diff\n" + _PLAIN + b"```\n- done\n",
    b"--- a/d/noeol.py\n+++ b/d/noeol.py\n@@ -2 +2 @@\n-y\n" + _NO_EOL + b"+w\n" + _NO_EOL,
    b"--- a/d/crlf.py\n+++ b/d/crlf.py\n@@ -1,2 +1,2 @@\n x\r\n-y\r\n+w\r\n",
    b"--- /dev/null\n+++ b/new/n.py\n@@ -0,0 +1,2 @@\n+w\n+w\n--- a/sp ace.py\t1\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    b"diff --git a/e/__init__.py b/e/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n",
    b"diff --git a/empty.py b/empty.py\ndeleted file mode 100644\nold mode 100644\nnew mode 100755\n",
    _MOVE % (b"a.py", b"sp b/c.py", b"rename", b"a.py", b"rename", b"sp b/c.py")
    + b"--- a/a.py\n+++ b/sp b/c.py\n"
    + _HUNK,
    _MOVE % (b"a.py", b"c.py", b"copy", b"a.py", b"copy", b"c.py"),
    b'diff --git "a/a\\056py" "b/a\\056py"\n--- "a/a\\056py"\n+++ "b/a\\056py"\n' + _HUNK,
    b'{"a.py": "w\\n", "new/n.py": "w", "empty.py": null, "sp ace.py": {"base64": "dw=="}}',
    b'```json\n{"a.py": "w\\n"}\n```\n',
)
TOKENS = (
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\t",
        b" ",
        b"/",
        b"\\",
        b'"',
        b"..",
        b"../",
        b"./",
        b"//",
        b"b/",
        b"a/",
        b".",
        b"+",
        b"-",
    ),
    *(
        b"\\ No newline at end of file\n",
        b"/dev/null",
        b"tests/test_a.py",
        b".git/config",
        b"conftest.py",
        b"d/crlf.py",
    ),
    *(
        b"\\056",
        b"\\057",
        b"\\000",
        b"\\n",
        b"\\u002e",
        b"\\ud800",
        b"\xe2\x80\xa8",
        b"\xff",
        b"\xef\xbc\x8f",
        b"\xe2\x80\x8b",
    ),
    *(
        b"diff --git a/a.py b/a.py\n",
        b"--- a/a.py\n",
        b"+++ b/a.py\n",
        b"@@ -1 +1 @@\n",
        b"@@ -0,0 +1 @@\n",
        b"@@ -9,2 +9 @@",
    ),
    *(
        b"new file mode 120000\n",
        b"new file mode 100644\n",
        b"deleted file mode 100644\n",
        b"index 1..2 160000\n",
        b"new mode 100755\n",
    ),
    *(
        b"rename from a.py\n",
        b"rename to c.py\n",
        b"copy from a.py\n",
        b"copy to tests/x\n",
        b"GIT binary patch\n",
        b"-- \n",
        b"```\n",
    ),
    *(
        b"<<<<<<< SEARCH\n",
        b"=======\n",
        b">>>>>>> REPLACE\n",
        b"null",
        b'{"base64": "',
        b"{",
        b"}",
        b'": "',
        b"0",
        b"1",
        b"99",
    ),
)


def mutated(rng: random.Random) -> bytes:
    """Take a seed, or two, and damage it in a few places."""
    data = rng.choice(SEEDS)
    if rng.random() < 0.3:
        data += rng.choice(SEEDS)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choice(_MUTATIONS)(rng, data)
    return data


def _insert(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def _overwrite(rng: random.Random, data: bytes) -> bytes:
    at, token = rng.randrange(len(data) + 1), rng.choice(TOKENS)
    return data[:at] + token + data[at + len(token) :]


def _flip(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(rng: random.Random, data: bytes) -> bytes:
    start, stop = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[stop:] if rng.random() < 0.5 else data[start:stop]


def _shuffle_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines[at], lines[other] = lines[other], lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            del lines[at]
        case _:
            lines.insert(at, rng.choice(rng.choice(SEEDS).split(b"\n")))
    return b"\n".join(lines)


def _crlf(_rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


_MUTATIONS = (_insert, _insert, _overwrite, _flip, _cut, _shuffle_lines, _shuffle_lines, _shuffle_lines, _crlf)


def check(payload: bytes, form: AnswerFormat) -> str:
    """Apply one answer, check every invariant, and return the word for what happened."""
    before = dict(TREE)
    answer = Answer(payload, form)
    result = apply_answer(answer, before, allowed_files=("**",), forbidden=DEFAULT_FORBIDDEN)
    assert before == TREE, "the base tree has changed"
    assert result == apply_answer(answer, before, allowed_files=("**",), forbidden=DEFAULT_FORBIDDEN), (
        "not the same twice"
    )
    if not isinstance(result, Applied):
        assert result.outcome.value in {"not_applied", "safety_violation"}, result
        assert result.detail.isprintable(), result
        assert 0 < len(result.detail) < 1000, result
        return result.outcome.value
    assert result.changes, "nothing has changed"
    after = result.tree(before)
    for path, content in result.changes.items():
        _check_path(path)
        assert content != before.get(path), f"{path} has not changed"
    for path in after:
        parents = [path[:at] for at, character in enumerate(path) if character == "/"]
        assert not after.keys() & set(parents), f"{path} lies in a file"
    if not result.summary.startswith(AnswerFormat.FILES.value):
        _check_lines(result, payload)
    back = apply_answer(answer_from_trees(before, after), before, allowed_files=("**",), forbidden=())
    assert isinstance(back, Applied), back
    assert back.tree(before) == after, "the way back leads elsewhere"
    return "applied"


def _check_path(path: str) -> None:
    """Judge a path by simpler means than the code under test."""
    assert path == posixpath.normpath(path), path
    assert not path.startswith(("/", "../")), path
    assert not any(ord(ch) < 32 or ch in "\x7f\x85\u2028\u2029\\" for ch in path), path
    parts = path.casefold().split("/")
    assert parts[0] not in {"tests", ".github"}, path
    assert ".git" not in parts, path
    assert parts[-1] not in {"conftest.py", "pytest.ini", "pyproject.toml", "setup.py"}, path


def _check_lines(result: Applied, payload: bytes) -> None:
    """Hold every new line against the answer and the tree: none is glued, cut or made up."""
    known = {line.rstrip(b"\r") for content in TREE.values() for line in content.split(b"\n")} | {b""}
    written = {line.rstrip(b"\r") for line in payload.split(b"\n")}
    for content in result.changes.values():
        for line in (content or b"").split(b"\n"):
            bare = line.rstrip(b"\r")
            assert bare in known or bare in written or b"+" + bare in written, line


def run(runs: int, seed: int, *, seconds: float = float("inf")) -> Counter[str]:
    """Check `runs` damaged answers and count what became of them; the seed and the number name each input."""
    words: Counter[str] = Counter()
    started = time.process_time()
    for number in range(runs):
        if number % 1000 == 0 and time.process_time() - started > seconds:
            break
        rng = random.Random(f"{seed}/{number}")  # noqa: S311 - inputs to test with, and the same ones each time
        payload, form = mutated(rng), rng.choice(FORMS)
        try:
            words[check(payload, form)] += 1
        except Exception as error:
            error.add_note(f"input {number} of seed {seed}, as {form.value}: {payload!r}")
            raise
    return words


def guided(corpus: Path, arguments: list[str]) -> None:
    """Let atheris choose the inputs, starting from the seeds: the first byte picks the format."""
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        for form in range(len(FORMS)):
            (corpus / f"seed-{number}-{form}").write_bytes(bytes([form]) + seed)
    atheris.instrument_all()
    atheris.Setup(
        [sys.argv[0], *arguments, str(corpus)],
        lambda data: check(data[1:], FORMS[data[0] % len(FORMS)]) and None if data else None,
    )
    atheris.Fuzz()


def main() -> None:
    """Run one of the two fuzzers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="CPU time after which to stop")
    parser.add_argument("--atheris", type=Path, metavar="CORPUS", help="folder to keep inputs in; the rest goes to it")
    options, rest = parser.parse_known_args()
    if options.atheris:
        guided(options.atheris, rest)
        return
    words = run(options.runs, options.seed, seconds=options.seconds)
    sys.stdout.write(f"{words.total()} inputs: {dict(words.most_common())}\n")


if __name__ == "__main__":
    main()
