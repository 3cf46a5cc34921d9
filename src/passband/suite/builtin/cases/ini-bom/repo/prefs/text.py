"""The text form."""

Prefs = dict[str, dict[str, str]]


class PrefsError(ValueError):
    """The text cannot be read."""


def parse(text: str) -> Prefs:
    """Sections with their keys; ``;`` starts a comment line."""
    prefs: Prefs = {}
    section: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith(";"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = prefs.setdefault(line[1:-1].strip(), {})
            continue
        key, equals, value = line.partition("=")
        if not equals or section is None:
            raise PrefsError(f"line {number}: expected [section] or key = value")
        section[key.strip()] = value.strip()
    return prefs


def write(prefs: Prefs) -> str:
    """Text that ``parse`` reads back."""
    blocks = []
    for name, section in prefs.items():
        lines = [f"[{name}]", *(f"{key} = {value}" for key, value in section.items())]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)
