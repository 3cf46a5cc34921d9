"""A Python function as a subject."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.errors import UsageError
from passband.records import Answer
from passband.subject.base import CaseView, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FunctionSubject", "load_function"]


class FunctionSubject:
    """Calls ``function(view, seed)``.

    The function returns the answer as text or bytes, as an :class:`~passband.records.Answer`, or as a
    :class:`~passband.subject.Response` with a trace and usage. What it raises is a failure of the machinery around the
    subject, since a function can answer an empty text where the subject itself fails: the sample is retried, then
    stored as errored. It runs in this process, in several threads at once.

    Parameters
    ----------
    name : str
        How the subject is called in reports.
    function : callable
        ``(CaseView, int) -> str | bytes | Answer | Response``.
    """

    def __init__(self, name: str, function: Callable[[CaseView, int], Any]) -> None:
        self.name = name
        self._function = function

    @property
    def params(self) -> Mapping[str, Any]:
        """Digest of the source of the function's module, so that another code is another subject."""
        try:
            source = inspect.getsource(inspect.getmodule(self._function) or self._function)
        except (OSError, TypeError):  # built at run time: there is no source to hash
            return {}
        return {"source_sha256": hashlib.sha256(source.encode()).hexdigest()}

    def sample(self, view: CaseView, seed: int) -> Response:
        """Call the function once and take what it returns as the answer."""
        returned = self._function(view, seed)
        if isinstance(returned, Response):
            return returned
        if isinstance(returned, Answer):
            return Response(output=returned)
        if isinstance(returned, str):
            return Response(output=Answer.of(returned))
        if isinstance(returned, bytes):
            return Response(output=Answer(returned))
        raise TypeError(f"{self.name} returned {type(returned).__name__}, not text, bytes, Answer or Response")


def load_function(spec: str) -> FunctionSubject:
    """Make a subject of ``package.module:function``.

    Raises
    ------
    UsageError
        Where it cannot be imported or called.
    """
    module_name, _, attribute = spec.partition(":")
    where = f"python:{spec}"
    if not module_name or not attribute:
        raise UsageError("is not of the form python:module:function", where=where)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: an agent's module lies beside its work
    try:
        function = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:
        raise UsageError(f"cannot be imported: {type(error).__name__}: {error}", where=where) from error
    if not callable(function):
        raise UsageError("is not callable", where=where)
    return FunctionSubject(where, function)
