"""Passband: pass rates with the band around them.

The packages are the data flow::

    suite → subject × run → grade → records → aggregate → stats → compare → gate → report

Everything left of :mod:`passband.records` makes records, everything right of it reads them.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
