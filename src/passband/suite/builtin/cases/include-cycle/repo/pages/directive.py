"""Lines such as ``{{ include footer }}``."""

import re

PATTERN = re.compile(r"(?P<indent> *)\{\{ *include +(?P<name>[\w/-]+) *\}\}")


def directive(line: str) -> tuple[str, str] | None:
    """Indentation and page name of an include line; None for any other line."""
    found = PATTERN.fullmatch(line)
    return (found["indent"], found["name"]) if found else None
