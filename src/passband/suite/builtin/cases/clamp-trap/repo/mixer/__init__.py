"""Volume and playlist of a small music player."""
