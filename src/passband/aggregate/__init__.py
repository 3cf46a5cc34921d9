"""Records → arrays and the structured aggregate."""
