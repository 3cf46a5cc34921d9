"""Splitting a line into fields."""


class BadLine(ValueError):
    """The line cannot be split."""


def split_fields(line: str) -> list[str]:
    """Split at commas outside quotation marks; the marks around a field are dropped."""
    fields: list[str] = []
    current: list[str] = []
    quoted = False
    for char in line:
        if char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            fields.append("".join(current))
            current = []
        else:
            current.append(char)
    if quoted:
        raise BadLine("a quotation mark is never closed")
    fields.append("".join(current))
    return fields
