"""From an answer to a changed tree: read it, check every name, apply it in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passband.grade.patch.blocks import SEARCH, parse_blocks
from passband.grade.patch.draft import Draft, Edit
from passband.grade.patch.files import parse_files
from passband.grade.patch.result import Applied, RefusalError, Refused
from passband.grade.patch.scope import scope_of
from passband.grade.patch.unified import parse_diff
from passband.records import Answer, AnswerFormat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["apply_answer"]

_MAX_ANSWER = 8 * 2**20
_MAX_NAMES = 10_000
_BOM = b"\xef\xbb\xbf"
_BLOCK = re.compile(rb"^" + re.escape(SEARCH) + rb"[ \t\r]*$", re.MULTILINE)
_DIFF = re.compile(rb"^(?:diff --git |--- .*\n\+\+\+ )", re.MULTILINE)
_FENCE = re.compile(rb"^(?:```|~~~).*$", re.MULTILINE)


def apply_answer(
    answer: Answer, tree: Mapping[str, bytes], *, allowed_files: Sequence[str], forbidden: Sequence[str]
) -> Applied | Refused:
    """Apply an answer to a tree: exactly and as a whole, or not at all.

    The order is fixed, and the first thing that is wrong gives the word: an answer that cannot be read is *not
    applied*; then any name it carries, on either side of any header, that escapes the tree, is no regular file or is
    forbidden is a *safety violation*; then any name outside `allowed_files` is *out of scope*; then an edit that does
    not fit in exactly one place, or a whole that changes nothing, is *not applied*. Nothing is executed and nothing is
    written; there is no fuzz, no white-space tolerance and no reversal.

    Parameters
    ----------
    answer : Answer
        Up to 8 MiB and 10,000 files. With ``AnswerFormat.AUTO`` the format is found: a JSON object, else
        search/replace blocks, else a unified diff, each also inside prose and code fences.
    tree : Mapping of str to bytes
        Relative POSIX path → content, without symbolic links.
    allowed_files, forbidden : sequence of str
        Globs, gitignore-style; see :class:`~passband.grade.patch.scope.Scope` for what is stricter here.

    Returns
    -------
    Applied or Refused
        For any answer whatever.

    Raises
    ------
    SuiteError
        Where a glob cannot be read; never because of the answer.
    """
    scope = scope_of(tuple(allowed_files), tuple(forbidden))
    try:
        form, edits = _parsed(answer, tree)
        special = next((edit.special for edit in edits if edit.special), None)
        scope.check(_names(edits), special, files=tree)
        draft = Draft(tree)
        for edit in edits:
            if edit.vacates is not None:
                draft.vacate(edit.vacates)
        done = [edit.apply(draft) for edit in edits]
        changes = draft.finish()
    except RefusalError as refusal:
        return Refused(refusal.outcome, refusal.detail)
    return Applied(changes, f"{form.value}: {_listed(done)}")


def _names(edits: Sequence[Edit]) -> list[str]:
    names = list({name: None for edit in edits for name in edit.names})
    if len(names) > _MAX_NAMES:
        raise RefusalError(f"the answer names {len(names)} files; the limit is {_MAX_NAMES}")
    return names


def _listed(done: list[str]) -> str:
    unique = list(dict.fromkeys(done))
    return ", ".join(unique[:5]) + (f" and {len(unique) - 5} more" if len(unique) > 5 else "")


def _parsed(answer: Answer, tree: Mapping[str, bytes]) -> tuple[AnswerFormat, Sequence[Edit]]:
    text = answer.payload.removeprefix(_BOM)
    if len(text) > _MAX_ANSWER:
        raise RefusalError(f"the answer is {len(text) / 2**20:.1f} MiB long; the limit is {_MAX_ANSWER // 2**20} MiB")
    form = answer.format
    if form is AnswerFormat.AUTO:
        form, text = _found(text)
    if form is AnswerFormat.FILES:
        return form, parse_files(text)
    if form is AnswerFormat.SEARCH_REPLACE:
        return form, parse_blocks(text, tree)
    if form is AnswerFormat.UNIFIED_DIFF:
        return form, parse_diff(text)
    raise RefusalError("the answer is plain text, not a patch")


def _found(text: bytes) -> tuple[AnswerFormat, bytes]:
    if not text.strip():
        raise RefusalError("the answer is empty")
    if _is_object(text):
        return AnswerFormat.FILES, text
    if _BLOCK.search(text):
        return AnswerFormat.SEARCH_REPLACE, text
    if _DIFF.search(text):
        return AnswerFormat.UNIFIED_DIFF, text
    fences = list(_FENCE.finditer(text))
    if len(fences) == 2 and _is_object(inside := text[fences[0].end() : fences[1].start()]):
        return AnswerFormat.FILES, inside
    raise RefusalError(
        "the answer holds no patch: neither search/replace blocks, nor a unified diff, nor a JSON object"
    )


def _is_object(text: bytes) -> bool:
    text = text.strip()
    return text.startswith(b"{") and text.endswith(b"}")
