"""A frame around the text."""

from label.wrap import wrap


def frame(text: str, width: int) -> str:
    """The wrapped text in a box; ``width`` is the space inside."""
    edge = f"+{'-' * width}+"
    rows = [f"|{line:<{width}}|" for line in wrap(text, width)]
    return "\n".join([edge, *rows, edge])
