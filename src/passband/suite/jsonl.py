"""Suites as one JSONL file, a case a line."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import msgspec

from passband.errors import SuiteError
from passband.suite.evalsuite import EvalSuite
from passband.suite.table import case_from_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from passband.records import EvalCase

__all__ = ["dump_jsonl", "load_jsonl"]


def load_jsonl(path: Path) -> EvalSuite:
    """Read a suite of one JSON object a line.

    The standard library's parser is used, for two things that faster ones do in silence: they turn integers beyond 64
    bits into floats, and keep the last of two equal keys.

    Raises
    ------
    SuiteError
        With the line at fault.
    """
    cases: list[EvalCase] = []
    number = 1
    try:
        with path.open("rb") as file:
            for number, data in enumerate(file, start=1):
                line = data.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    where = f"{path}:{number}"
                    cases.append(case_from_table(_object(line, where), where=where))
    except UnicodeDecodeError as error:
        raise SuiteError(f"is not UTF-8: {error.reason}", where=f"{path}:{number}") from None
    except OSError as error:
        raise SuiteError(f"cannot be read: {error.strerror}", where=str(path)) from None
    return EvalSuite(name=path.name.removesuffix(".jsonl"), cases=tuple(cases))


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(items)
    if len(table) != len(items):
        twice = next(key for key, _ in items if sum(key == other for other, _ in items) > 1)
        raise SuiteError(f"the key {twice!r} occurs twice")
    return table


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line)
    except SuiteError as error:
        raise SuiteError(error.what, where=where) from None
    except json.JSONDecodeError as error:
        raise SuiteError(f"is not JSON: {error.msg} at column {error.colno}", where=where) from None
    except RecursionError:
        raise SuiteError("is nested too deeply", where=where) from None
    if not isinstance(value, dict):
        raise SuiteError("is not a JSON object", where=where)
    return value


def dump_jsonl(cases: Iterable[EvalCase]) -> bytes:
    """Write cases as JSONL that :func:`load_jsonl` reads back to the same version."""
    lines = []
    for case in cases:
        table = msgspec.to_builtins(case, enc_hook=dict, builtin_types=(bytes,))
        for tree in ("workspace", "hidden"):
            table[tree] = {path: _content(data) for path, data in table[tree].items()}
        lines.append(json.dumps(table, ensure_ascii=False))
    return "".join(line + "\n" for line in lines).encode()


def _content(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
