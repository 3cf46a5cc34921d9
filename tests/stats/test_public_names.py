import subprocess
import sys
import types

import passband.stats


def test_all_is_sorted_and_complete():
    """__all__ is one sorted list, every name in it exists, and functions and classes have a docstring."""
    names = passband.stats.__all__
    assert names == sorted(names)
    for name in names:
        value = getattr(passband.stats, name)
        assert not isinstance(value, type | types.FunctionType) or value.__doc__


def test_importing_costs_no_scipy():
    """`from passband.stats import *`, which imports all of it, loads numpy and nothing heavier."""
    code = (
        "from passband.stats import *; import sys; wilson_interval\n"
        "print([m for m in ('scipy', 'matplotlib', 'pandas', 'rich') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"
