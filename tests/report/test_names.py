import importlib
import pkgutil

import pytest

LAZY = ("aggregate", "report", "run", "run.store", "stats", "subject")


@pytest.mark.parametrize("package", [f"passband.{name}" for name in LAZY])
def test_every_public_name_is_there(package):
    """Names that are imported when they are asked for all exist, and none is hidden by a module of its name."""
    made = importlib.import_module(package)
    modules = {module.name for module in pkgutil.iter_modules(made.__path__)}
    for name in modules:
        importlib.import_module(f"{package}.{name}")
    for name in made.__all__:
        assert getattr(made, name).__class__.__name__ != "module", name
    with pytest.raises(AttributeError, match="no_such_name"):
        made.no_such_name  # noqa: B018 - reading it is the test
