"""What differs from shop to shop."""
