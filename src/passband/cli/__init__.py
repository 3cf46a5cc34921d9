"""The command line: thin, lazy, and honest about what went wrong."""

from passband.cli.app import main

__all__ = ["main"]
