"""Query strings."""

from router.escape import unquote


def parse(query: str) -> dict[str, list[str]]:
    """Every name with its values in order; a name without ``=`` has the empty value."""
    values: dict[str, list[str]] = {}
    for pair in query.split("&"):
        if not pair:
            continue
        if "=" in pair:
            name, value = pair.split("=", 2)
        else:
            name, value = pair, ""
        values.setdefault(unquote(name), []).append(unquote(value))
    return values


def first(query: str, name: str, default: str = "") -> str:
    """The first value of a name."""
    return parse(query).get(name, [default])[0]
