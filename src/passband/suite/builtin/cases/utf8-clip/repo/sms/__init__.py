"""Text messages in parts of a limited number of bytes."""
