"""Frames of text over a byte stream."""

from wire.errors import FrameError
from wire.reader import FrameReader
from wire.writer import encode, encode_all

__all__ = ["FrameError", "FrameReader", "encode", "encode_all"]
