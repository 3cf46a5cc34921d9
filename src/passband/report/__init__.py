"""Renders, never computes."""
