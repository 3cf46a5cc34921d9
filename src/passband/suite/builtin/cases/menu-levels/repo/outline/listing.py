"""A tree to indented text."""

from outline.node import Node, prune


def listing(root: Node, levels: int = -1) -> str:
    """One heading a line, down to a level."""
    lines: list[str] = []

    def walk(node: Node, depth: int) -> None:
        lines.append("  " * depth + node.title)
        for child in node.children:
            walk(child, depth + 1)

    walk(prune(root, levels), 0)
    return "\n".join(lines)
