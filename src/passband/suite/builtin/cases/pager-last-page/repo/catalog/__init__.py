"""A product catalogue that is read page by page."""
