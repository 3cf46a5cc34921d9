"""Known to the terminal alone."""

TERMINAL_PIN = "0000"
