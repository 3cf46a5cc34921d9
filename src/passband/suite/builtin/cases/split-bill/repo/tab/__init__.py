"""Splitting the bill."""
