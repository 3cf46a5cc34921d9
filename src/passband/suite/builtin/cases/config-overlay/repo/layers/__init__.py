"""Settings in layers: defaults, then a profile on top."""
