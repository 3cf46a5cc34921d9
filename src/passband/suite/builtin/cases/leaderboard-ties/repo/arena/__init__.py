"""Scores of a quiz league."""
