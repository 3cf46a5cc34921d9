"""Notes with tags."""

from notes.book import Notebook
from notes.note import Note

__all__ = ["Note", "Notebook"]
