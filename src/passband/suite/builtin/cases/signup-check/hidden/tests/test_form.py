import pytest

from signup.__main__ import main
from signup.course import Course, Refused
from signup.form import Form, problem


def test_missing_email_is_refused():
    course = Course()
    with pytest.raises(Refused, match="needed"):
        course.sign_up(Form("Ann", " "))
    assert course.forms == []


def test_missing_name_is_refused():
    assert problem(Form("", "ann@example.org")) == "name and e-mail address are needed"


def test_command_refuses_half_a_form(capsys):
    assert main(["Ann", ""]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sorry: ")


def test_command_welcomes(capsys):
    assert main(["Ann", "ann@example.org", "2"]) == 0
    assert capsys.readouterr().out == "welcome, Ann\n"


def test_full_form_is_fine():
    assert problem(Form("Ann", "ann@example.org", 4)) is None


def test_not_an_address():
    assert problem(Form("Ann", "ann.example.org")) == "ann.example.org is not an e-mail address"


def test_number_of_seats():
    assert problem(Form("Ann", "a@b", 0)) == problem(Form("Ann", "a@b", 5))
    assert problem(Form("Ann", "a@b", 5)) == "1 to 4 seats can be booked"


def test_course_is_full():
    course = Course(seats=3)
    course.sign_up(Form("Ann", "a@b", 2))
    with pytest.raises(Refused, match="only 1 seats"):
        course.sign_up(Form("Bob", "b@b", 2))
    assert course.free == 1
