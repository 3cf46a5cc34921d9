"""An exception is what an except clause takes it for."""

from __future__ import annotations

from typing import Any

import pytest

from passband.grade.inside.runner.strict import is_of


class ClaimsError(Exception):
    """Claims to be another."""

    __class__ = ValueError  # type: ignore[assignment]


class _Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True

    def __subclasscheck__(cls, subclass: type) -> bool:
        return True


class AnythingError(Exception, metaclass=_Meta):
    """A class that says everything is of it."""


def caught(error: BaseException, kinds: Any) -> bool:
    """Ask an except clause."""

    def throw() -> None:
        raise error

    try:
        throw()
    except kinds:
        return True
    except Exception:  # noqa: BLE001 - whatever it is, it was not caught before
        return False
    return False


@pytest.mark.parametrize(
    "error", [ClaimsError(), ValueError(), KeyError(), AnythingError(), UnicodeDecodeError("a", b"", 0, 0, "")]
)
@pytest.mark.parametrize(
    "kinds", [ValueError, Exception, ClaimsError, AnythingError, (KeyError, ValueError), ((OSError,), LookupError)]
)
def test_like_an_except_clause(error: BaseException, kinds: Any) -> None:
    """Real bases count, and nothing that anybody claims."""
    flat = [
        k for kind in (kinds if type(kinds) is tuple else (kinds,)) for k in (kind if type(kind) is tuple else (kind,))
    ]
    assert is_of(error, kinds) == caught(error, tuple(flat))


def test_anything_else_is_asked_as_usual() -> None:
    """What is no exception may claim what it likes."""

    class Thing:
        __class__ = int

    assert is_of(Thing(), int)
    assert is_of(1, int)
    assert not is_of(1, (str, bytes))
    assert is_of(ValueError(), ValueError | KeyError)
