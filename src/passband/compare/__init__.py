"""Findings about two or more runs."""
