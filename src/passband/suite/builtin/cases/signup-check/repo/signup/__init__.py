"""Signing up for a course."""
