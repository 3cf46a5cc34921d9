"""Immutable, content-addressed sets of cases."""
