"""Cart, checkout and receipt."""
