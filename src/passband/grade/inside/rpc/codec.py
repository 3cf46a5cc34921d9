"""Values as JSON, between two processes that share no memory: exact built-in types, and aliasing kept.

Immutable values travel whole. A mutable built-in (list, dict, set, …) gets a number when it first crosses; from then
on both sides hold a copy under that number, and every message begins with what changed in the copies since the last
one. So ``f(x) is x`` holds, a list that a candidate keeps and a test changes later changes on both sides, and what a
candidate does to an argument is seen. Everything else is an object of one side: see
:mod:`passband.grade.inside.rpc.peer`.
"""

from __future__ import annotations

import base64
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.arrays import decode_array, encode_array
from passband.grade.inside.rpc.sharing import KINDS, MAKERS, MAPPINGS, Shared, Sharing
from passband.grade.inside.rpc.values import decode_value, encode_value, is_value
from passband.grade.inside.rpc.wire import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Codec", "UncrossableError"]

_MAX_DEPTH = 60
_BIG = 1 << 12000  # beyond this a decimal would hit the interpreter's limit on digits
_SCALARS = frozenset({int, str, bool, type(None), float})


class UncrossableError(AttributeError):
    """Something a test needs cannot be had across the line; the case belongs in tier 2."""


class Codec(Sharing):
    """Encodes and decodes for one side.

    Parameters
    ----------
    sign : {1, -1}
        Which side.
    """

    def __init__(self, sign: int) -> None:
        super().__init__(sign)
        self.arrays = False
        """Whether both sides have numpy."""

    # Encoding

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Turn a value into JSON data.

        Raises
        ------
        UncrossableError
            For what cannot cross: nested too deep, or an object this side does not lend.
        """
        kind = type(value)
        if kind is int:
            return value if -_BIG < value < _BIG else {"i": hex(value)}
        if kind in _SCALARS:
            return value
        if depth > _MAX_DEPTH:
            raise UncrossableError("a value nested too deep to cross")
        if kind in KINDS:
            return self._encode_mutable(value, KINDS[kind], depth + 1)
        if kind is tuple:
            return {"t": self._many(value, depth + 1)}
        if kind is frozenset:
            return {"z": self._many(value, depth + 1)}
        if kind is bytes:
            return {"b": base64.b64encode(value).decode()}
        if is_value(kind):
            try:
                return {"v": encode_value(value)}
            except ValueError as error:
                raise UncrossableError(str(error)) from None
        array = encode_array(value) if self.arrays else None
        return {"np": array} if array is not None else self.encode_object(value, depth + 1)

    def encode_object(self, value: Any, depth: int) -> Any:  # noqa: ARG002 - the sides use it
        """Encode what is not data; for the sides to say."""
        raise UncrossableError(f"an object of type {type(value).__name__} cannot cross")

    def _many(self, values: Iterable[Any], depth: int) -> list[Any]:
        values = list(values)
        kinds = set(map(type, values))
        if kinds <= _SCALARS and (int not in kinds or all(-_BIG < v < _BIG for v in values if type(v) is int)):
            return values
        return [self.encode(v, depth) for v in values]

    def _encode_mutable(self, obj: Any, kind: str, depth: int) -> dict[str, Any]:
        shared = self._by_id.get(id(obj))
        if shared is not None:
            return {"m": shared.ref}
        shared = self._share(self.number(), obj, kind)
        message: dict[str, Any] = {"m": shared.ref, "k": kind}
        if kind == "deque":
            message["x"] = obj.maxlen
        elif kind == "defaultdict":
            message["x"] = self.encode(obj.default_factory, depth)
        message["c"] = self._content(shared, depth)
        shared.seen = shared.look()
        return message

    def _content(self, shared: Shared, depth: int) -> Any:
        if shared.kind == "bytearray":
            return base64.b64encode(shared.obj).decode()
        if shared.kind in MAPPINGS:
            return [self._many(shared.obj.keys(), depth), self._many(shared.obj.values(), depth)]
        return self._many(shared.obj, depth)

    def updates(self) -> list[Any]:
        """Encode what changed on this side since both copies were last equal."""
        changed = []
        for shared in list(self._by_ref.values()):
            now = shared.look()
            if shared.changed(now):
                shared.seen = now
                changed.append([shared.ref, self._content(shared, 1)])
        return changed

    # Decoding

    def decode(self, data: Any) -> Any:
        """Turn JSON data of the other side into a value.

        Raises
        ------
        ProtocolError
            For anything an encoder would not have written.
        """
        kind = type(data)
        if kind is not dict:
            if kind is list:
                raise ProtocolError("a bare list")
            return data
        if "m" in data:
            return self._decode_mutable(data)
        if "t" in data:
            return tuple(self._decode_many(data["t"]))
        if "b" in data:
            return _bytes(data["b"])
        if "v" in data:
            return decode_value(data["v"])
        if "z" in data:
            return frozenset(self._hashable(data["z"]))
        if "i" in data:
            return int(_text(data["i"]), 16)
        if "np" in data and self.arrays:
            return decode_array(data["np"])
        return self.decode_object(data)

    def decode_object(self, data: dict[str, Any]) -> Any:
        """Decode what is not data; for the sides to say."""
        raise ProtocolError(f"an unknown value {sorted(data)}")

    def _decode_many(self, items: Any) -> list[Any]:
        if type(items) is not list:
            raise ProtocolError("a list was due")
        return [self.decode(v) if type(v) in (dict, list) else v for v in items]

    def _hashable(self, items: Any) -> list[Any]:
        values = self._decode_many(items)
        try:
            for value in values:
                hash(value)
        except TypeError:
            raise ProtocolError("a set or mapping over what cannot be hashed") from None
        return values

    def _decode_mutable(self, data: dict[str, Any]) -> Any:
        ref = data["m"]
        if type(ref) is not int:
            raise ProtocolError("a number was due")
        if "c" not in data:
            try:
                return self._by_ref[ref].obj
            except KeyError:
                raise ProtocolError(f"nothing is shared under {ref}") from None
        kind = data.get("k")
        if ref in self._by_ref or ref * self._sign >= 0 or kind not in MAKERS:
            raise ProtocolError("a number given out twice, or by the wrong side")
        if kind == "deque":
            limit = data.get("x")
            if limit is not None and type(limit) is not int:
                raise ProtocolError("a deque of no size")
            obj: Any = deque(maxlen=limit)
        elif kind == "defaultdict":
            factory = self.decode(data.get("x"))
            obj = defaultdict(factory if callable(factory) else None)
        else:
            obj = MAKERS[kind]()
        shared = self._share(ref, obj, kind)
        self._fill(shared, data["c"])
        return obj

    def _fill(self, shared: Shared, content: Any) -> None:
        obj, kind = shared.obj, shared.kind
        if kind == "bytearray":
            obj[:] = _bytes(content)
        elif kind in MAPPINGS:
            if type(content) is not list or len(content) != 2:
                raise ProtocolError("a mapping that is none")
            keys, values = self._hashable(content[0]), self._decode_many(content[1])
            if len(keys) != len(values):
                raise ProtocolError("a mapping that is none")
            obj.clear()
            # Not update(): a Counter would add up.
            for key, value in zip(keys, values, strict=True):
                dict.__setitem__(obj, key, value) if kind != "OrderedDict" else obj.__setitem__(key, value)
        elif kind == "set":
            items = self._hashable(content)
            obj.clear()
            obj.update(items)
        else:
            items = self._decode_many(content)
            obj.clear()
            obj.extend(items)
        shared.seen = shared.look()

    def apply(self, updates: Any) -> None:
        """Carry out the changes of the other side."""
        if type(updates) is not list:
            raise ProtocolError("a list of changes was due")
        for update in updates:
            if type(update) is not list or len(update) != 2 or type(update[0]) is not int:
                raise ProtocolError("a change of nothing")
            shared = self._by_ref.get(update[0])
            if shared is None:
                raise ProtocolError(f"nothing is shared under {update[0]}")
            self._fill(shared, update[1])


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ProtocolError("text was due")
    return value


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_text(value), validate=True)
    except ValueError:
        raise ProtocolError("bytes that are none") from None
