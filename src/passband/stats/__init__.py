"""Arrays in, numbers out.

Counts are ``c`` (successes) and ``n`` (samples), one entry a task on the last axis; leading axes are evaluations, so
that a simulation of thousands is one call. Results are frozen and carry the method, the estimand, the level, n and
what a reader must know. Where a number cannot be estimated it is None and a warning says why; input that makes no
sense raises :class:`passband.errors.InvalidInputError`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
