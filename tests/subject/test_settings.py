import pytest

from passband.errors import UnknownNameError, UsageError
from passband.subject import load_subject


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", "nan"),
        ("temperature", "-1"),
        ("temperature", "1e99"),
        ("top_p", "7"),
        ("max_tokens", "9" * 23),
        ("timeout_s", "1e99"),
        ("timeout_s", "inf"),
        ("turns", "0"),
        ("requests_per_minute", "0"),
        ("tokens_per_minute", "nan"),
        ("attempts", "1e3.5"),
    ],
)
def test_numbers_that_no_server_takes_are_refused_by_name(name, value):
    """A setting of a chat subject that is no number, or an absurd one, is a usage error before anything is asked."""
    with pytest.raises(UsageError, match=rf"--set.*{name}"):
        load_subject("chat:m@http://127.0.0.1:9/v1", settings={name: value})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("api", "foo", "no api named 'foo'; there are: "),
        ("api", "chats", "no api named 'chats'; did you mean 'chat'"),
        ("mode", "x", "no mode named 'x'; there are: agent, answer, auto, patch"),
    ],
)
def test_a_choice_that_is_none_is_answered_with_those_there_are(name, value, words):
    """A setting with named values refuses another one, and names them or the closest."""
    with pytest.raises(UnknownNameError, match=f"--set: {words}"):
        load_subject("chat:m@http://127.0.0.1:9/v1", settings={name: value})
