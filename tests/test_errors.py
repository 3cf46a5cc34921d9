import inspect

import pytest

from passband import errors
from passband.errors import InvalidInputError, PassbandError, UnknownNameError


def test_the_tree_in_the_docstring_is_the_tree():
    """Every error class stands in the drawing, with the exit code it has, and is exported."""
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, PassbandError)]
    assert {c.__name__ for c in classes} | {"text_of"} == set(errors.__all__)
    for c in classes:
        line = next(line for line in errors.__doc__.splitlines() if f" {c.__name__} " in line)
        assert f"(exit {c.exit_code})" in line


def test_a_message_is_one_line():
    """Whatever somebody's text holds, the message stays one line with what, where and how to fix it."""
    error = PassbandError("bad\nvalue", where="a\r\nb", fix="do\tthis")
    assert str(error) == "a b: bad value; do this"


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("mutatr", ["mutator", "other"], "did you mean 'mutator'"),
        ("zzz", ["mutator", "other"], "there are: mutator, other"),
        ("zzz", [], "no subject at all"),
    ],
)
def test_unknown_names_come_with_a_way_out(name, known, words):
    """An unknown name offers the closest one, or lists what there is."""
    assert words in str(UnknownNameError("subject", name, known))


def test_bad_numbers_are_value_errors():
    """Callers of the statistics may catch ValueError."""
    with pytest.raises(ValueError, match="k is 5"):
        raise InvalidInputError("k is 5")
