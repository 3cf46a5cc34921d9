"""TinyAgent."""
