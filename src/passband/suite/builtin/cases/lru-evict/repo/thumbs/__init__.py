"""Small pictures, made once and kept for a while."""
