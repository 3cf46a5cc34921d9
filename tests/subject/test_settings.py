import pytest

from passband.errors import UsageError
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
