"""What can go wrong."""


class FrameError(ValueError):
    """The bytes are not a frame."""
