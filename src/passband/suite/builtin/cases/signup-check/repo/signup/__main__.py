"""``python -m signup NAME EMAIL [SEATS]``."""

import sys

from signup.course import Course, Refused
from signup.form import Form


def main(arguments: list[str]) -> int:
    """Sign somebody up; 0 if that worked, 1 if it was refused."""
    name, email, *seats = arguments
    try:
        form = Course().sign_up(Form(name, email, *map(int, seats)))
    except Refused as refused:
        print(f"sorry: {refused}", file=sys.stderr)
        return 1
    print(f"welcome, {form.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
