"""One note."""

from notes.tags import normalise


class Note:
    """A title, a text and tags in the order in which they were given."""

    def __init__(self, title: str, text: str = "", tags: list[str] = []) -> None:
        self.title = title
        self.text = text
        self.tags = tags

    def tag(self, name: str) -> None:
        """Add a tag, once."""
        name = normalise(name)
        if name not in self.tags:
            self.tags.append(name)

    def untag(self, name: str) -> None:
        """Take a tag away; it need not be there."""
        name = normalise(name)
        if name in self.tags:
            self.tags.remove(name)
