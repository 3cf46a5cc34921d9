"""``python -m passband`` is the ``passband`` command."""

from passband.cli import main

main()
