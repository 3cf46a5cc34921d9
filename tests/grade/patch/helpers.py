"""A small tree and short ways to say what an answer must do to it."""

from __future__ import annotations

from passband.grade.patch import Applied, Refused, apply_answer
from passband.records import DEFAULT_FORBIDDEN, Answer, AnswerFormat

CALC = b"def clamp(x, lo, hi):\n    if x < lo:\n        return lo\n    if x > hi:\n        return x\n    return x\n"
TREE = {
    "calc.py": CALC,
    "crlf.py": b"A = 1\r\nB = 2\r\nC = 3\r\n",
    "noeol.py": b"A = 1\nB = 2",
    "crlf_noeol.py": b"A = 1\r\nB = 2",
    "mixed.py": b"A = 1\r\nB = 2\nC = 3\r\n",
    "empty.py": b"",
    "bytes.py": b"\xef\xbb\xbfA = 1\nB = '\xff\xe2\x80\xa8\x0c\xc2\x85'\nC = 3\n",
    "pkg/mod.py": b"X = 1\n",
    "pkg/sp ace.py": b"X = 1\n",
    "tests/test_calc.py": b"def test_clamp():\n    assert True\n",
}

AUTO, SR, DIFF, FILES = (
    AnswerFormat.AUTO,
    AnswerFormat.SEARCH_REPLACE,
    AnswerFormat.UNIFIED_DIFF,
    AnswerFormat.FILES,
)


def apply(text: str | bytes, form=AUTO, *, tree=TREE, allowed=("**",), forbidden=DEFAULT_FORBIDDEN):
    """Apply an answer under a policy that allows everything but the default forbidden files."""
    payload = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    return apply_answer(Answer(payload, form), tree, allowed_files=allowed, forbidden=forbidden)


def changes(text: str | bytes, form=AUTO, **options) -> dict[str, bytes | None]:
    """Apply an answer that must fit, and return what it changed."""
    result = apply(text, form, **options)
    assert isinstance(result, Applied), result
    return dict(result.changes)


def refusal(text: str | bytes, form=AUTO, **options) -> tuple[str, str]:
    """Apply an answer that must be refused, and return the word and the reason."""
    result = apply(text, form, **options)
    assert isinstance(result, Refused), result
    return result.outcome.value, result.detail


def block(path: str, search: str, replace: str) -> str:
    """Write one search/replace block; the two parts are whole lines."""
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def diff(path: str, hunks: str, *, new: str | None = None) -> str:
    """Write a plain diff of one file."""
    return f"--- a/{path}\n+++ b/{new or path}\n{hunks}"
