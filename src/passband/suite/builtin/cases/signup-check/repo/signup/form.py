"""What people fill in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """A name, an e-mail address and how many seats."""

    name: str
    email: str
    seats: int = 1

    def cleaned(self) -> "Form":
        """Without white space around the text."""
        return Form(self.name.strip(), self.email.strip().lower(), self.seats)


def problem(form: Form) -> str | None:
    """What is wrong with a form, or None."""
    form = form.cleaned()
    if not form.name and not form.email:
        return "name and e-mail address are needed"
    if form.email and "@" not in form.email:
        return f"{form.email} is not an e-mail address"
    if not 1 <= form.seats <= 4:
        return "1 to 4 seats can be booked"
    return None
