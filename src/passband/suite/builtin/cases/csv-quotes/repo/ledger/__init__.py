"""Bank statements from comma-separated text."""
