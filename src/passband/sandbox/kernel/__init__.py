"""What runs inside the sandbox's own processes: standard library only, so that a bare interpreter can load it."""
