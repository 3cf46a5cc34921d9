"""Tier 1, the trusted side: runs the hidden tests, in which every object of the candidate is a stand-in.

No line of the candidate's is ever executed here. What comes over the line becomes built-in data or stand-ins, so a
value is right only if its content is; an object that claims to be equal to anything is never asked whether it equals
data.
"""

from __future__ import annotations

import builtins
import sys
from typing import Any, cast

from passband.grade.inside.codec import UncrossableError
from passband.grade.inside.lazy import RemoteFinder, RemoteModule
from passband.grade.inside.lending import Lending
from passband.grade.inside.remote import (
    BoundMethod,
    Remote,
    RemoteClass,
    RemoteError,
    RemoteFunction,
    RemotePlainFunction,
    bind,
)
from passband.grade.inside.values import is_value
from passband.grade.inside.wire import GoneError, ProtocolError, Wire

__all__ = ["JudgePeer"]

_DATA = frozenset({int, str, bool, float, bytes, tuple, frozenset, list, dict, set, bytearray})
_TOUCHES = frozenset({"op", "method", "get", "set", "del"})


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

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the candidate; note what cannot cross."""
        try:
            return super().ask(op, *args)
        except UncrossableError as error:
            self.uncrossed.append(str(error))
            raise
        except (GoneError, ProtocolError) as error:
            self.lost = self.lost or str(error)
            raise

    def before_asking(self, op: str, args: tuple[Any, ...]) -> None:
        """Refuse to ask while an answer is being read; note a question to an instance."""
        if self.reading:
            raise ProtocolError("objects that must be compared to be read")
        if op in _TOUCHES and not isinstance(args[0], RemoteModule | RemoteClass | RemoteFunction):
            self.touched = True

    def seen_reply(self, reply: dict[str, Any]) -> None:
        """Print here what the candidate printed, so that tests can look at it."""
        printed = reply.get("p")
        if type(printed) is list and len(printed) == 2:
            for stream, text in zip((sys.stdout, sys.stderr), printed, strict=True):
                if type(text) is str and text:
                    stream.write(text)

    def compare(self, obj: Remote, name: str, other: Any) -> Any:
        """Compare two objects of the candidate where they live; never one of them with data.

        Raises
        ------
        UncrossableError
            For an object with a comparison of its own and data: its word would count as a value.
        """
        if isinstance(other, Remote | RemoteClass | BoundMethod):
            return self.ask("op", obj, name, (other,))
        if other is None and name in {"__eq__", "__ne__"}:
            return name == "__ne__"
        if type(other) in _DATA or is_value(type(other)):
            what = f"an object of the candidate's class {type(obj).__name__} was compared with data"
            self.uncrossed.append(what)
            raise UncrossableError(what)
        return NotImplemented

    # What comes from the candidate

    def decode_object(self, data: dict[str, Any]) -> Any:
        """Make a stand-in, or take an object of ours back."""
        if "o" in data:
            return self.owned(data)
        if "bt" in data:
            return self._builtin_class(data["bt"])
        if "y" in data:
            return self._any_class(data["y"])
        if "x" in data:
            return self._error(data)
        if "h" in data:
            return self.borrow(data)
        raise ProtocolError(f"an unknown value {sorted(map(str, data))[:5]}")

    @staticmethod
    def _builtin_class(name: Any) -> type:
        found = getattr(builtins, name, None) if type(name) is str else None
        if not isinstance(found, type):
            raise ProtocolError("no built-in class")
        return found

    def _any_class(self, data: Any) -> type:
        if type(data) is dict and "bt" in data:
            return self._builtin_class(data["bt"])
        return self.borrow_class(data)

    def borrow_class(self, data: Any) -> type:
        """Return the stand-in for a class, or the class itself where it is an exception of the standard library."""
        if type(data) is dict and type(data.get("g")) is str and type(data.get("c")) is int:
            # Only what is loaded here already: a test that names the class has imported it.
            module = sys.modules.get(data["g"]) if data["g"] in sys.stdlib_module_names or "." in data["g"] else None
            found = getattr(module, str(data.get("q")), None)
            if isinstance(found, type) and issubclass(found, Exception) and found.__module__ == data["g"]:
                self._classes.setdefault(data["c"], found)
        return super().borrow_class(data)

    def base_class(self, data: Any) -> type | None:
        """Keep the bases that except clauses look at."""
        found = self._any_class(data)
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
        if issubclass(cls, KeyboardInterrupt | GeneratorExit) and not isinstance(cls, RemoteClass):
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
    try:
        object.__setattr__(error, name, value)
    except (AttributeError, TypeError):
        return  # read-only on this class
