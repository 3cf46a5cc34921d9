import pytest

from signup.course import Course, Refused
from signup.form import Form


def test_sign_up():
    form = Course().sign_up(Form(" Ann ", "Ann@Example.org"))
    assert form == Form("Ann", "ann@example.org")


def test_empty_form():
    with pytest.raises(Refused):
        Course().sign_up(Form(" ", ""))
