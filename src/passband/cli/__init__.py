"""The command line: thin, lazy, and honest about what went wrong."""


def main() -> None:
    """Run the ``passband`` command."""
    raise SystemExit(2)
