"""Vectors and paths in the plane."""

from plane.path import Path
from plane.vector import Vector

__all__ = ["Path", "Vector"]
