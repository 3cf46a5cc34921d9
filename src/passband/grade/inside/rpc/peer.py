"""Two processes that work on each other's objects: requests, answers, and stand-ins for what lives elsewhere.

A side lends an object by giving it a number. The other side makes a stand-in (:mod:`passband.grade.inside.rpc.remote`)
whose operations become requests. Requests nest like calls do: while one is open, the other side may ask back. A
message carries its place in that order, so that an answer nobody asked for is noticed.
"""

from __future__ import annotations

import weakref
from typing import Any

from passband.grade.inside.rpc.classes import RemoteClass, make_class
from passband.grade.inside.rpc.codec import Codec, UncrossableError
from passband.grade.inside.rpc.lent import Lent
from passband.grade.inside.rpc.remote import BoundMethod, Remote
from passband.grade.inside.rpc.wire import GoneError, ProtocolError, Wire

__all__ = ["Peer", "made_from"]

_MAX_NESTED = 40


def made_from(error: BaseException) -> tuple[Any, ...]:
    """Return the arguments that make an exception again: an OSError takes its file names out of ``args``."""
    if isinstance(error, OSError):
        return tuple(OSError.__reduce__(error)[1])
    return error.args


class Peer(Codec):
    """One side of the line.

    Parameters
    ----------
    wire : Wire
        The line.
    sign : {1, -1}
        Which side.
    """

    def __init__(self, wire: Wire, sign: int) -> None:
        super().__init__(sign)
        self.wire = wire
        self.reading = 0
        """Whether a message is being decoded right now, and how deep."""
        self._asked = 0
        self._nested = 0
        self._lent = Lent()
        self._described: set[int] = set()
        self._standins: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._classes: dict[int, type] = {}
        self._got_times: dict[int, int] = {}
        self._freed: list[list[int]] = []

    # Asking

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the other side for an operation and return its result, or raise what it raised.

        Raises
        ------
        GoneError, ProtocolError
            Where the line fails.
        UncrossableError
            Where an argument cannot cross.
        """
        self.before_asking(op, args)
        message = self._outgoing()
        last = self.last
        try:
            message["a"] = [self.encode(a) for a in args]
        except BaseException:
            self.forget_since(last)
            raise
        self._asked += 1
        asked = message["i"] = self._asked
        message["q"] = op
        if self._nested >= _MAX_NESTED:
            raise UncrossableError("calls back and forth nested too deep")
        self._nested += 1
        try:
            self.wire.send(message)
            while True:
                reply = self.wire.receive()
                if "q" in reply:
                    self.answer(reply)
                    continue
                if reply.get("i") != asked:
                    raise ProtocolError("an answer to another question")
                return self._incoming_reply(reply)
        finally:
            self._nested -= 1

    def before_asking(self, op: str, args: tuple[Any, ...]) -> None:
        """Look at what is about to be asked; for the sides to say."""

    def _outgoing(self) -> dict[str, Any]:
        message: dict[str, Any] = {}
        # In this order: what is pruned is not looked at for changes, and new numbers follow old ones.
        dropped = self.prune()
        if dropped:
            message["d"] = dropped
        if self._freed:
            message["f"], self._freed = self._freed, []
        changed = self.updates()
        if changed:
            message["u"] = changed
        return message

    def _incoming(self, message: dict[str, Any]) -> None:
        if not ("d" in message or "f" in message or "u" in message):
            return
        dropped, freed = message.get("d", []), message.get("f", [])
        if type(dropped) is not list or not all(type(r) is int for r in dropped):
            raise ProtocolError("numbers were due")
        self.forget(dropped)
        if type(freed) is not list or not all(type(f) is list and [type(n) for n in f] == [int, int] for f in freed):
            raise ProtocolError("pairs of numbers were due")
        for ref, times in freed:
            self._lent.take_back(ref, times)
        self.apply(message.get("u", []))

    def _incoming_reply(self, reply: dict[str, Any]) -> Any:
        if "no" in reply:
            self.read(reply, [])
            raise UncrossableError(str(reply["no"])[:500])
        if "r" in reply:
            return self.read(reply, [reply["r"]])[0]
        (error,) = self.read(reply, [reply.get("e")])
        if not isinstance(error, BaseException):
            raise ProtocolError("an answer that is none")
        raise error

    def read(self, message: dict[str, Any], values: list[Any]) -> list[Any]:
        """Take what a message carries, and decode values of it.

        Raises
        ------
        ProtocolError
            For whatever cannot be read, in whatever way.
        """
        self.reading += 1
        try:
            self._incoming(message)
            if "q" not in message:
                self.seen_reply(message)
            return [self.decode(v) for v in values]
        except ProtocolError:
            raise
        except Exception as error:
            raise ProtocolError(f"a message that cannot be read ({type(error).__name__}: {error})") from None
        finally:
            self.reading -= 1

    def seen_reply(self, reply: dict[str, Any]) -> None:
        """Take what a reply carries besides its result; for the sides to say."""

    # Answering

    def answer(self, message: dict[str, Any]) -> None:
        """Carry out one request of the other side and answer it."""
        given = message.get("a")
        if type(given) is not list or type(message.get("q")) is not str:
            raise ProtocolError("a request without arguments")
        args = self.read(message, given)
        try:
            result, key = self.perform(message["q"], args), "r"
        except (ProtocolError, GoneError):
            raise
        except UncrossableError as error:
            result, key = str(error)[:500], "no"
        except BaseException as error:
            result, key = error, "e"
        reply = self._outgoing()
        last = self.last
        try:
            reply[key] = self.encode(result)
        except (ProtocolError, GoneError):
            raise
        except Exception as error:  # an object may fail at any question about what it is
            self.forget_since(last)
            own = isinstance(error, UncrossableError)
            reply["no"] = str(error)[:500] if own else f"a result that cannot be read: {type(error).__name__}"
        reply["i"] = message.get("i")
        self.add_to_reply(reply)
        self.wire.send(reply)

    def perform(self, op: str, args: list[Any]) -> Any:
        """Carry out an operation; for the sides to say."""
        raise NotImplementedError

    def add_to_reply(self, reply: dict[str, Any]) -> None:
        """Add to a reply; for the sides to say."""

    # Lending

    def lend(self, obj: Any) -> int:
        """Give an object a number under which the other side may ask about it."""
        return self._lent.lend(obj, self.number)

    def lent(self, ref: Any) -> Any:
        """Return the object behind a number of ours."""
        return self._lent.get(ref)

    def describe(self, cls: type) -> dict[str, Any]:
        """Describe a class to the other side: in full the first time, then by number."""
        ref = self.lend(cls)
        if ref in self._described:
            return {"c": ref}
        self._described.add(ref)
        return {"c": ref, **self.description(cls)}

    def description(self, cls: type) -> dict[str, Any]:
        """Say what a stand-in for a class needs to know; for the sides to say."""
        raise NotImplementedError

    # Borrowing

    def borrow_class(self, data: Any) -> type:
        """Return the stand-in for a class of the other side."""
        if type(data) is not dict or type(data.get("c")) is not int:
            raise ProtocolError("a class was due")
        ref = data["c"]
        if ref not in self._classes:
            if "n" not in data:
                raise ProtocolError("a class nobody described")
            self._classes[ref] = make_class(self, ref, data)
        return self._classes[ref]

    def borrow(self, data: dict[str, Any]) -> Any:
        """Return the stand-in for an object of the other side: the same one as long as there is one."""
        ref = data["h"]
        if type(ref) is not int or ref * self._sign >= 0:
            raise ProtocolError("an object of the wrong side")
        found = self._standins.get(ref)
        if found is None:
            found = self.adopt(ref, self.stand_in(ref, data))
        self._got_times[ref] += 1
        return found

    def adopt(self, ref: int, made: Any) -> Any:
        """Remember a stand-in for as long as it lives, and give its object back after that."""
        self._standins[ref] = made
        self._got_times[ref] = 0
        weakref.finalize(made, self._free, ref).atexit = False
        return made

    def _free(self, ref: int) -> None:
        self._freed.append([ref, self._got_times.pop(ref)])

    def base_class(self, data: Any) -> type | None:
        """Return what a base of a described class is here; None where it makes no difference. For the sides to say."""
        raise NotImplementedError

    def compare(self, obj: Remote, name: str, other: Any) -> Any:
        """Compare a stand-in with something."""
        return self.ask("op", obj, name, (other,))

    def stand_in(self, ref: int, data: dict[str, Any]) -> Any:
        """Make a stand-in; for the sides to say."""
        raise NotImplementedError

    def own(self, value: Any) -> dict[str, Any] | None:
        """Encode a stand-in as the other side's own object; None where it is no stand-in of theirs."""
        if isinstance(value, RemoteClass):
            return {"o": value._passband_class}
        if isinstance(value, Remote):
            return {"o": value._passband_ref}
        if type(value) is BoundMethod:
            return {"o": value.obj._passband_ref, "a": value.__name__}
        return None

    def owned(self, data: dict[str, Any]) -> Any:
        """Return our own object, of which the other side holds a stand-in."""
        obj = self.lent(data["o"])
        name = data.get("a")
        return obj if name is None else self.perform("get", [obj, name])
