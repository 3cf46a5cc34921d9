"""Isolation tiers behind one small interface."""
