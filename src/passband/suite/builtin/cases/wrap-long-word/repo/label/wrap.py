"""Breaking text into lines."""

from label.words import words


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters, as few as can be, broken between words."""
    if width < 1:
        raise ValueError("a line holds at least one character")
    waiting = words(text)
    lines: list[str] = []
    line = ""
    while waiting:
        longer = f"{line} {waiting[0]}" if line else waiting[0]
        if len(longer) <= width:
            line = longer
            waiting.popleft()
        elif line:
            lines.append(line)
            line = ""
    if line:
        lines.append(line)
    return lines
