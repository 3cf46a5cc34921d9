"""The tree."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Node:
    """A heading and what stands below it."""

    title: str
    children: list[Node] = field(default_factory=list)

    def count(self) -> int:
        """How many headings there are, this one included."""
        return 1 + sum(child.count() for child in self.children)

    def height(self) -> int:
        """Levels below this one."""
        return max((1 + child.height() for child in self.children), default=0)


def prune(node: Node, levels: int) -> Node:
    """A copy with at most so many levels below the node; a negative number keeps all of them."""
    if levels == 0:
        return Node(node.title)
    return Node(node.title, [prune(child, levels) for child in node.children])
