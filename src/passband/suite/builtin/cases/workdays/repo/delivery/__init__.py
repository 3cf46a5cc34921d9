"""Promised delivery days."""
