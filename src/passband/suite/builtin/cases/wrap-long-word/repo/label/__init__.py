"""Labels of a given width."""

from label.frame import frame
from label.wrap import wrap

__all__ = ["frame", "wrap"]
