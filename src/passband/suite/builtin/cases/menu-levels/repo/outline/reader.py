"""Indented text to a tree."""

from outline.node import Node

INDENT = 2


def read(text: str) -> Node:
    """Two blanks of indentation are one level; the first line is the root."""
    path: list[Node] = []
    for number, line in enumerate(text.splitlines(), start=1):
        title = line.strip()
        if not title:
            continue
        level, odd = divmod(len(line) - len(line.lstrip(" ")), INDENT)
        if odd or level > len(path) or (level == 0 and path):
            raise ValueError(f"line {number} is indented wrongly")
        node = Node(title)
        if level:
            path[level - 1].children.append(node)
        path[level:] = [node]
    if not path:
        raise ValueError("nothing to read")
    return path[0]
