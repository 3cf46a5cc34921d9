"""TinyAgent: a laboratory for evaluation, small enough to read in one sitting.

Thirty one-function programs with a bug each, an agent of 161 thousand weights that repairs them, and group-relative
policy optimisation to train it. It uses Passband's records, runner and statistics; Passband knows nothing of it.
What needs torch is imported when it is first asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
