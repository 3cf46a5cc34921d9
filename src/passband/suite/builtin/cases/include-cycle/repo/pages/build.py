"""Putting pages together."""

from collections.abc import Mapping

from pages.directive import directive
from pages.errors import IncludeError


def expand(name: str, sources: Mapping[str, str]) -> list[str]:
    """The lines of a page with everything it includes."""
    if name not in sources:
        raise IncludeError(f"there is no page {name!r}")
    lines: list[str] = []
    for line in sources[name].splitlines():
        found = directive(line)
        if found is None:
            lines.append(line)
        else:
            indent, included = found
            lines += [indent + inner for inner in expand(included, sources)]
    return lines


def build(sources: Mapping[str, str], names: list[str] | None = None) -> dict[str, str]:
    """Expand the named pages, or all of them in order of name."""
    wanted = sorted(sources) if names is None else names
    return {name: "\n".join(expand(name, sources)) for name in wanted}
