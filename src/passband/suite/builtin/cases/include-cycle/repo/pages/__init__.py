"""Pages put together from other pages."""

from pages.build import build
from pages.errors import IncludeError

__all__ = ["IncludeError", "build"]
