"""A book of notes."""

from collections import Counter

from notes.note import Note
from notes.tags import normalise


class Notebook:
    """Notes in the order in which they were written."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def write(self, title: str, text: str = "") -> Note:
        note = Note(title, text)
        self.notes.append(note)
        return note

    def tagged(self, name: str) -> list[str]:
        """Titles of the notes with a tag."""
        name = normalise(name)
        return [note.title for note in self.notes if name in note.tags]

    def cloud(self) -> list[tuple[str, int]]:
        """Every tag with its number of notes, the commonest first."""
        counts = Counter(tag for note in self.notes for tag in note.tags)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
