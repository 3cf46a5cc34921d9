"""Versions and which of them is newest."""
