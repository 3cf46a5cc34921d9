"""Price lists of suppliers."""
