"""The built-in suite: small Python repositories with one bug each, an issue, and tests the subject never sees.

``suite.toml`` names the suite and its defaults. Each folder under ``cases/`` is a case: ``case.toml``, the tree the
subject gets (``repo/``), the hidden tests (``hidden/``), a patch that repairs it (``reference.patch``) and, for some,
tempting patches that do not (``wrong/*.patch``). Everything here is data: nothing imports it.
"""
