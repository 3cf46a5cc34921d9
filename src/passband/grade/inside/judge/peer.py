"""Tier 1, the trusted side: runs the hidden tests, in which every object of the candidate is a stand-in.

No line of the candidate's is ever executed here. What comes over the line becomes built-in data or stand-ins, so a
value is right only if its content is; an object that claims to be equal to anything is never asked whether it equals
data.
"""

from __future__ import annotations

import builtins
import operator
import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any, cast

from passband.grade.inside.judge.known import builtin_class, library_error
from passband.grade.inside.judge.lazy import RemoteFinder, RemoteModule
from passband.grade.inside.judge.lending import Lending
from passband.grade.inside.rpc.classes import RemoteClass
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.remote import (
    BoundMethod,
    Remote,
    RemoteError,
    RemoteFunction,
    RemotePlainFunction,
    bind,
)
from passband.grade.inside.rpc.sharing import KINDS
from passband.grade.inside.rpc.values import is_value
from passband.grade.inside.rpc.wire import GoneError, ProtocolError, Wire

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["JudgePeer"]

_DATA = frozenset({int, str, bool, float, bytes, tuple, frozenset, *KINDS})
_STOPPING = frozenset({KeyboardInterrupt, GeneratorExit})
_TOUCHES = frozenset({"op", "method", "get", "set", "del"})
_ASKED_FOR = (RemoteModule, RemoteClass, RemoteFunction)


class JudgePeer(Lending):
    """The judge's side of the line.

    Parameters
    ----------
    wire : Wire
        To the executor.
    finder : RemoteFinder
        Makes modules.
    root : str
        Folder of the hidden tests; objects of classes defined below it may be lent.
    """

    def __init__(self, wire: Wire, finder: RemoteFinder, root: str) -> None:
        super().__init__(wire, 1, root)
        self.finder = finder
        self.touched = False
        """Whether a test asked an instance of the candidate's something: its truth then rests on that object's word."""
        self.uncrossed: list[str] = []
        """What could not cross."""
        self.lost = ""
        """Why nothing more can be had from the candidate; a test during which this came about has not passed."""
        self._values: dict[int, Any] = {}
        self._compared: set[int] = set()
        self._named: set[int | None] = set()
        self._thread = get_ident()

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the candidate; note what cannot cross."""
        try:
            answer = super().ask(op, *args)
        except UncrossableError as error:
            self.uncrossed.append(str(error))
            raise
        except (GoneError, ProtocolError) as error:
            self.lost = self.lost or str(error)
            raise
        if op == "import":
            self._name(value for pair in answer if type(pair) is tuple for value in pair[1:])
        elif op == "get" and _number(args[0]) in self._named:
            self._name((answer,))
        return answer

    def _name(self, values: Iterable[Any]) -> None:
        """Remember classes, functions and modules that a test has asked for by name: those it may ask for more."""
        self._named.update(n for value in values if isinstance(value, _ASKED_FOR) and (n := _number(value)) is not None)

    def before_asking(self, op: str, args: tuple[Any, ...]) -> None:
        """Refuse to ask while an answer is being read; note a question whose answer an object of theirs decides."""
        if self.reading:
            raise ProtocolError("objects that must be compared to be read")
        if get_ident() != self._thread:
            # Answers to two threads would cross each other, and both would wait for ever.
            raise UncrossableError("the candidate is called from several threads")
        if op in _TOUCHES and (op == "op" or _number(args[0]) not in self._named):
            self.touched = True

    def seen_reply(self, reply: dict[str, Any]) -> None:
        """Print here what the candidate printed, so that tests can look at it."""
        printed = reply.get("p")
        if type(printed) is list and len(printed) == 2:
            for stream, text in zip((sys.stdout, sys.stderr), printed, strict=True):
                if type(text) is str and text:
                    stream.write(text)

    def compare(self, obj: Remote, name: str, other: Any) -> Any:
        """Compare two objects of the candidate where they live; never one of them with data, but its content.

        Raises
        ------
        UncrossableError
            For an object with a comparison of its own and data: its word would count as a value.
        """
        if isinstance(other, Remote | RemoteClass | BoundMethod) or type(other) is object:
            # A bare object equals nothing: a twin asks about one, to find out who says yes to anything.
            return self.ask("op", obj, name, (other,))
        if other is None and name in {"__eq__", "__ne__"}:
            return name == "__ne__"
        if type(other) in _DATA or is_value(type(other)):
            content = None if self.reading else self._compared_content(obj, name)
            if type(content) in _DATA or is_value(type(content)):
                return getattr(operator, name)(content, other)
            what = f"an object of the candidate's class {type(obj).__name__} was compared with data"
            self.uncrossed.append(what)
            raise UncrossableError(what)
        return NotImplemented

    def _compared_content(self, obj: Remote, name: str) -> Any:
        """Ask for what a comparison of an object compares, once: the second time only its word says it is the same.

        So it is where it is told that a bound is asked about, and which.
        """
        ref = obj._passband_ref
        self.touched |= ref in self._compared or name not in {"__eq__", "__ne__"}
        self._compared.add(ref)
        return self.ask("content", obj, name)

    # What comes from the candidate

    def decode_object(self, data: dict[str, Any]) -> Any:
        """Make a stand-in, or take an object of ours back."""
        if "o" in data:
            return self.owned(data)
        if "bt" in data:
            return self._builtin_class(data["bt"])
        if "y" in data:
            return self._handed_out(self._any_class(data["y"]))
        if "x" in data:
            return self._error(data)
        if "h" in data:
            return self._handed_out(self.borrow(data))
        raise ProtocolError(f"an unknown value {sorted(map(str, data))[:5]}")

    def _handed_out(self, value: Any) -> Any:
        """Forget that a test named this: whatever else hands it out may mean it for something that it is not."""
        if self._named and isinstance(value, _ASKED_FOR):
            self._named.discard(_number(value))
        return value

    @staticmethod
    def _builtin_class(name: Any) -> type:
        found = builtin_class(name)
        if found is None:
            raise ProtocolError("no built-in class")
        return found

    def _any_class(self, data: Any) -> type:
        if type(data) is dict and "bt" in data:
            return self._builtin_class(data["bt"])
        return self.borrow_class(data)

    def borrow_class(self, data: Any) -> type:
        """Return the stand-in for a class, or the class itself where it is an exception of the standard library."""
        if type(data) is dict and type(data.get("c")) is int and data["c"] not in self._classes:
            found = library_error(data.get("g"), data.get("q"))
            if found is not None:
                self._classes[data["c"]] = found
        return super().borrow_class(data)

    def base_class(self, data: Any) -> type | None:
        """Keep the bases that except clauses look at; an exception of the candidate's stops nothing here."""
        found = self._any_class(data)
        if found in _STOPPING:
            return BaseException
        return found if isinstance(found, RemoteClass) or issubclass(found, BaseException) else None

    def stand_in(self, ref: int, data: dict[str, Any]) -> Any:
        """Make the stand-in for a module, a function or an instance."""
        if "j" in data:
            module = RemoteModule(str(data["j"]), self.finder)
            bind(module, self, ref)
            return module
        if "k" not in data:
            kind = RemotePlainFunction if data.get("f") is True else RemoteFunction
            made = bind(kind.__new__(kind), self, ref)
            for name in ("__name__", "__qualname__"):
                object.__setattr__(made, name, str(data.get("n")))
            return made
        cls = self.borrow_class(data["k"])
        if not isinstance(cls, RemoteClass) or issubclass(cls, BaseException):
            raise ProtocolError("an instance of no class of the candidate's")
        obj = bind(object.__new__(cast("type", cls)), self, ref)
        if type(data.get("s")) is int:
            obj.__dict__["_passband_hash"] = data["s"]
        return obj

    def borrow(self, data: dict[str, Any]) -> Any:
        """Return the stand-in for an object; values of a class that extends a built-in one carry their content."""
        if "w" not in data:
            return super().borrow(data)
        ref = data["h"]
        if ref not in self._values:
            cls = self.borrow_class(data.get("k"))
            content = self.decode(data["w"])
            base = type(content)
            if base not in {int, float, str, bytes, tuple} or not isinstance(cls, RemoteClass):
                raise ProtocolError("a value of no kind")
            if not issubclass(cls, base):
                raise ProtocolError("a value of another kind than its class")
            self._values[ref] = bind(base.__new__(cast("Any", cls), content), self, ref)
        return self._values[ref]

    def _error(self, data: dict[str, Any]) -> BaseException:
        cls: Any = self._any_class(data["x"])
        args = data.get("a")
        if type(args) is not list or not issubclass(cls, BaseException) or type(data.get("h")) is not int:
            raise ProtocolError("an exception that is none")
        if cls in _STOPPING:
            cls = RemoteError  # the judge itself must not be stopped by one
        known = self._standins.get(data["h"]) if isinstance(cls, RemoteClass) else None
        if known is not None:
            self._got_times[data["h"]] += 1
            return known  # type: ignore[no-any-return]
        values = tuple(self.decode(a) for a in args)
        error = self._make_error(cls, values, data)
        for pair in data.get("p") or []:
            if type(pair) is list and len(pair) == 2 and type(pair[0]) is str:
                name, value = pair[0], self.decode(pair[1])
                if not name.startswith("_") or (name == "__notes__" and _are_texts(value)):
                    _set_quietly(error, name, value)
        for key in ("cause", "context"):
            if key in data:
                chained = error.__cause__ if data[key] is True else self.decode(data[key])
                if isinstance(chained, BaseException):
                    _set_quietly(error, f"__{key}__", chained)
        _set_quietly(error, "__suppress_context__", bool(data.get("quiet")))
        return error

    def _make_error(self, cls: Any, args: tuple[Any, ...], data: dict[str, Any]) -> BaseException:
        if isinstance(cls, RemoteClass):
            error = _new(cls, args)
            self.adopt(data["h"], bind(error, self, data["h"]))
            self._got_times[data["h"]] += 1
            error.__dict__["_passband_text"] = str(data.get("text"))
            return error
        self._freed.append([data["h"], 1])
        try:
            made = cls(*args)
        except Exception:  # a constructor that wants something else than what ended up in args
            made = _new(cls, args)
        return made if isinstance(made, BaseException) else RemoteError(*args)


def _number(value: Any) -> int | None:
    """Return the number that a stand-in goes by; None for what has none."""
    if isinstance(value, RemoteClass):
        return value._passband_class
    number = getattr(value, "__dict__", {}).get("_passband_ref")
    return number if type(number) is int else None


def _new(cls: Any, args: tuple[Any, ...]) -> BaseException:
    """Make an exception without its class's own constructor."""
    base: Any = next(b for b in cls.__mro__ if getattr(builtins, b.__name__, None) is b)
    try:
        made: BaseException = base.__new__(cls, *args)
    except (TypeError, ValueError):  # a group of nothing, say
        raise ProtocolError(f"a {base.__name__} that is none") from None
    return made


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(text) is str for text in value)


def _set_quietly(error: BaseException, name: str, value: Any) -> None:
    if callable(getattr(BaseException, name, None)):
        return  # the methods that a test asks an exception with are its class's
    try:
        object.__setattr__(error, name, value)
    except (AttributeError, TypeError):
        return  # read-only on this class
