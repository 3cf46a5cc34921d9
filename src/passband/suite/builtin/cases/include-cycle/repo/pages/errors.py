"""What can go wrong."""


class IncludeError(Exception):
    """A page cannot be put in."""
