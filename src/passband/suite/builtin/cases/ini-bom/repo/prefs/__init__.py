"""Preferences in a small ini file."""

from prefs.files import load, save
from prefs.text import PrefsError

__all__ = ["PrefsError", "load", "save"]
