"""Hidden tests held in memory: collected and run by pytest, or called where they need nothing of it."""
