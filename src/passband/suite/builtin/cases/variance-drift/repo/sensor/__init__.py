"""Summaries of sensor readings, without keeping the readings."""
