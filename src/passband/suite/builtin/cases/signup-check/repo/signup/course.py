"""Who is in."""

from signup.form import Form, problem


class Refused(ValueError):
    """The form cannot be accepted."""


class Course:
    """A course with a limited number of seats."""

    def __init__(self, seats: int = 20) -> None:
        self.free = seats
        self.forms: list[Form] = []

    def sign_up(self, form: Form) -> Form:
        """Take a form and return it as it was written down."""
        trouble = problem(form)
        if trouble:
            raise Refused(trouble)
        if form.seats > self.free:
            raise Refused(f"only {self.free} seats are left")
        form = form.cleaned()
        self.free -= form.seats
        self.forms.append(form)
        return form
