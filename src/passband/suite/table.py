"""One case out of one table of plain data: the part that TOML and JSONL suites share."""

from __future__ import annotations

import base64
import binascii
import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, cast, get_args

import msgspec

from passband.errors import PassbandError, SuiteError
from passband.records import EvalCase, GraderSpec, PredicateSpec, unknown_choice

__all__ = ["case_from_table", "check_keys", "resolve_target", "table_at", "text_at"]

_KEYS = ("id", "inputs", "reference", "grader_spec", "slices", "tags", "workspace", "hidden")
# Benchmarks call these by their shouted names; both are taken.
_SHOUTED = {"FAIL_TO_PASS": "fail_to_pass", "PASS_TO_PASS": "pass_to_pass"}


def check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse keys that mean nothing, with the closest one that does."""
    for key in table:
        if key not in known:
            import difflib

            close = difflib.get_close_matches(key, known, n=1)
            fix = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            raise SuiteError(f"unknown key {key!r}", where=where, fix=fix)


def resolve_target(target: str, where: str) -> Callable[..., Any]:
    """Import ``module:function``; whatever goes wrong is a `SuiteError` that says so."""
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise SuiteError(f"{target!r} is not of the form module:function", where=where)
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:
        raise SuiteError(f"cannot import {target!r}: {type(error).__name__}: {error}", where=where) from error
    if not callable(found):
        raise SuiteError(f"{target!r} is not callable", where=where)
    return cast("Callable[..., Any]", found)


def case_from_table(table: Mapping[str, Any], *, where: str, defaults: Mapping[str, Any] | None = None) -> EvalCase:
    """Make a case of plain data.

    Parameters
    ----------
    table : mapping
        Keys ``id, inputs, reference, grader_spec, slices, tags, workspace, hidden`` and, for execution cases,
        ``FAIL_TO_PASS`` and ``PASS_TO_PASS``. File trees map paths to text, bytes or ``{"base64": …}``.
    where : str
        Where the table stands, for errors.
    defaults : mapping, optional
        A grader specification that the case's own overrides key by key.

    Raises
    ------
    SuiteError
        Where something is missing, unknown or of the wrong type.
    """
    check_keys(table, (*_KEYS, *_SHOUTED), where)
    values = {key: table[key] for key in _KEYS if key in table}
    if "id" not in values:
        raise SuiteError("has no id", where=where)
    spec = _merge(defaults or {}, table_at(values.get("grader_spec", {}), f"{where}.grader_spec"))
    for shouted, name in _SHOUTED.items():
        if shouted in table:
            spec[name] = _convert(table[shouted], tuple[str, ...], f"{where}.{shouted}")
    if "fail_to_pass" in spec:
        spec.setdefault("kind", "execution")
    if "kind" not in spec:
        raise SuiteError(
            "does not say how it is graded",
            where=where,
            fix='add FAIL_TO_PASS, or grader_spec with kind = "exact_match"',
        )
    values["inputs"] = table_at(values.get("inputs", {}), f"{where}.inputs")
    try:
        values["grader_spec"] = _grader_spec(spec, f"{where}.grader_spec")
    except SuiteError as error:
        raise _as_written(error, table, where) from None
    for tree in ("workspace", "hidden"):
        values[tree] = _file_tree(table_at(values.get(tree, {}), f"{where}.{tree}"), f"{where}.{tree}")
    slices = table_at(values.get("slices", {}), f"{where}.slices")
    for name, value in slices.items():
        if not isinstance(value, str):
            raise SuiteError(f"slice {name!r} must be text, not {value!r}", where=where)
    values["tags"] = _convert(values.get("tags", []), tuple[str, ...], f"{where}.tags")
    values["id"] = _convert(values["id"], str, f"{where}.id")
    try:
        return EvalCase(**values)
    except SuiteError as error:
        raise SuiteError(error.what, where=where, fix=error.fix) from None


def _convert(value: Any, type_: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise SuiteError(str(error), where=where) from None


def _grader_spec(spec: Mapping[str, Any], where: str) -> GraderSpec:
    kinds = [str(member.__struct_config__.tag) for member in get_args(GraderSpec)]
    if spec["kind"] not in kinds:
        import difflib

        close = difflib.get_close_matches(str(spec["kind"]), kinds, n=1)
        known = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(kinds)}"
        raise SuiteError(f"no grader of the kind {spec['kind']!r}", where=where, fix=known)
    try:
        made: GraderSpec = msgspec.convert(spec, GraderSpec)
    except msgspec.ValidationError as error:
        # Errors raised while a struct validates itself come wrapped; ours carry the better words.
        cause = error.__cause__
        better = cause if isinstance(cause, PassbandError) else unknown_choice(error, GraderSpec, where=where)
        what, fix = (better.what, better.fix) if better else (str(error), None)
        raise SuiteError(what, where=where, fix=fix) from None
    except SuiteError as error:
        raise SuiteError(error.what, where=where, fix=error.fix) from None
    if isinstance(made, PredicateSpec):
        function = resolve_target(made.target, where)
        module = inspect.getmodule(function)
        try:
            # The whole module, since a predicate leans on the helpers beside it.
            source = inspect.getsource(module) if module else inspect.getsource(function)
        except (OSError, TypeError) as error:
            raise SuiteError(f"the source of {made.target!r} cannot be read: {error}", where=where) from None
        made = PredicateSpec(target=made.target, digest=hashlib.sha256(source.encode()).hexdigest())
    return made


def _as_written(error: SuiteError, table: Mapping[str, Any], where: str) -> SuiteError:
    """The error, about a list of tests under the name and in the place that the file gives it."""
    for shouted, name in _SHOUTED.items():
        if shouted in table and name in error.what:
            what = error.what
            for theirs, ours in _SHOUTED.items():
                what = what.replace(ours, theirs) if theirs in table else what
            return SuiteError(what, where=where, fix=error.fix)
    return error


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def text_at(value: Any, where: str) -> str:
    """Take a value that must be text."""
    if not isinstance(value, str):
        raise SuiteError(f"must be text, not {value!r}", where=where)
    return value


def table_at(value: Any, where: str) -> Mapping[str, Any]:
    """Take a value that must be a table."""
    if not isinstance(value, Mapping):
        raise SuiteError(f"must be a table, not {type(value).__name__}", where=where)
    return value


def _file_tree(tree: Mapping[str, Any], where: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for path, content in tree.items():
        pure = PurePosixPath(path)
        if not path or pure.is_absolute() or ".." in pure.parts or str(pure) != path or "\0" in path:
            raise SuiteError(f"{path!r} is not a plain relative path", where=where)
        if ".git" in pure.parts:
            raise SuiteError(
                f"{path!r} lies in a .git folder", where=where, fix="remove it: its history may hold the fix"
            )
        files[path] = _file_content(content, f"{where}.{path}")
    for path in files:
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise SuiteError(f"{str(parent)!r} is both a file and a folder", where=where)
    return files


def _file_content(content: Any, where: str) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        if isinstance(content, str):
            return content.encode()
        if isinstance(content, Mapping) and set(content) == {"base64"}:
            return base64.b64decode(content["base64"], validate=True)
    except (UnicodeEncodeError, binascii.Error, TypeError, ValueError) as error:
        raise SuiteError(f"cannot be read: {error}", where=where) from None
    raise SuiteError('must be text or {"base64": …}', where=where)
