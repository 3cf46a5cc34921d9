"""Python functions as subjects: plain, asynchronous, or answering a batch at once."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from passband.errors import UsageError, text_of
from passband.records import Answer
from passband.subject.base import CaseView, HarnessPart, Response, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["BatchFunctionSubject", "FunctionSubject", "batched", "load_function"]

F = TypeVar("F", bound="Callable[..., Any]")


def batched(size: int) -> Callable[[F], F]:
    """Mark a function of (views, seeds) as one that answers up to `size` questions at once.

    The answer to a question must not depend on the others in its batch.

    Examples
    --------
    >>> from passband.subject import batched
    >>> @batched(64)
    ... def answer(views, seeds):
    ...     return [str(seed % 2) for seed in seeds]
    """
    if size < 2:
        raise UsageError(f"a batch of {size} is none", where="batched", fix="give 2 or more")

    def mark(function: F) -> F:
        function.batch_size = size  # type: ignore[attr-defined]
        return function

    return mark


class FunctionSubject:
    """Calls ``function(view, seed)``.

    The function, plain or ``async``, returns the answer as text or bytes, as an :class:`~passband.records.Answer`, or
    as a :class:`~passband.subject.Response` with a trace and usage. What it raises is a failure of the machinery around
    the subject, since a function can answer an empty text where the subject itself fails: the sample is retried, then
    stored as errored. It runs in this process: a plain function in several threads at once, an asynchronous one on one
    event loop.

    An attribute ``harness`` of the function, a :class:`~passband.subject.HarnessPart` or a function of the views of all
    cases that returns one, is what of it belongs to the harness: its temperature, its turns.

    Parameters
    ----------
    name : str
        How the subject is called in reports.
    function : callable
        ``(CaseView, int) -> str | bytes | Answer | Response``, or a coroutine function of the same.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
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

    def harness_for(self, views: Sequence[CaseView]) -> HarnessPart:
        """Return what the function's ``harness`` says; nothing where it has none."""
        found = getattr(self._function, "harness", None)
        found = found(views) if callable(found) else found
        if found is not None and not isinstance(found, HarnessPart):
            raise UsageError(f"has a harness that is {type(found).__name__}, not HarnessPart", where=self.name)
        return found or HarnessPart()

    def sample(self, view: CaseView, seed: int) -> Response:
        """Call the function once and take what it returns as the answer."""
        return self._response(self._call(view, seed))

    def _call(self, *arguments: Any) -> Any:
        returned = self._function(*arguments)
        return _loop().wait(returned) if isinstance(returned, Coroutine) else returned

    def _response(self, returned: Any) -> Response:
        if isinstance(returned, Response):
            return returned
        if isinstance(returned, Answer):
            return Response(output=returned)
        if isinstance(returned, str):
            return Response(output=Answer.of(returned))
        if isinstance(returned, bytes):
            return Response(output=Answer(returned))
        raise TypeError(f"{self.name} returned {type(returned).__name__}, not text, bytes, Answer or Response")


class BatchFunctionSubject(FunctionSubject):
    """Calls ``function(views, seeds)`` and takes a list of answers, one a question, in order.

    Parameters
    ----------
    name : str
        How the subject is called in reports.
    function : callable
        Of a list of views and a list of seeds; marked with :func:`batched`.
    batch_size : int
        How many questions it is asked at once, at most.
    """

    def __init__(self, name: str, function: Callable[..., Any], batch_size: int) -> None:
        super().__init__(name, function)
        self.batch_size = batch_size

    def sample(self, view: CaseView, seed: int) -> Response:
        """Ask a batch of one."""
        return self.sample_batch([view], [seed])[0]

    def sample_batch(self, views: Sequence[CaseView], seeds: Sequence[int]) -> Sequence[Response]:
        """Call the function once for all."""
        returned = self._call(list(views), list(seeds))
        if not isinstance(returned, list | tuple) or len(returned) != len(views):
            got = len(returned) if isinstance(returned, list | tuple) else type(returned).__name__
            raise TypeError(f"{self.name} was asked {len(views)} questions and returned {got}")
        return [self._response(answer) for answer in returned]


class _Loop:
    """One event loop in a thread of its own, on which every asynchronous subject waits."""

    def __init__(self) -> None:
        import asyncio  # a tenth of a second of imports that plain functions do without

        self._threadsafe = asyncio.run_coroutine_threadsafe
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, name="passband-async", daemon=True).start()

    def _run(self) -> None:
        while True:
            # The exit of a task that a subject has started goes through the loop; the others wait on it.
            with contextlib.suppress(BaseException):
                self._loop.run_forever()

    def wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        returned, error = self._threadsafe(_caught(coroutine), self._loop).result()
        if error is not None:
            raise error
        return returned


async def _caught(coroutine: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    """Wait for a coroutine and catch what it raises; an exit would end the loop for all that wait on it."""
    try:
        return await coroutine, None
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
        return None, error


_shared: _Loop | None = None
_lock = threading.Lock()


def _loop() -> _Loop:
    global _shared  # noqa: PLW0603 - clients of asynchronous libraries are bound to one loop for good
    with _lock:
        if _shared is None:
            _shared = _Loop()
        return _shared


def load_function(spec: str) -> Subject:
    """Make a subject of ``package.module:name``.

    The name is a function, one marked with :func:`batched`, or an object that is a subject already.

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
        found = getattr(importlib.import_module(module_name), attribute)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"cannot be imported: {type(error).__name__}: {text_of(error)}", where=where) from error
    if all(hasattr(found, name) for name in ("name", "params", "sample")) and not isinstance(found, type):
        return cast("Subject", found)
    if not callable(found):
        raise UsageError("is not callable", where=where)
    size = getattr(found, "batch_size", None)
    return BatchFunctionSubject(where, found, size) if isinstance(size, int) else FunctionSubject(where, found)
