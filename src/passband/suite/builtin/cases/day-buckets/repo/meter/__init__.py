"""Energy meters and their daily totals."""
