"""A text buffer with undo."""

from editor.buffer import Buffer

__all__ = ["Buffer"]
