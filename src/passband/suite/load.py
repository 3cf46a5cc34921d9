"""From what a user types to a suite."""

from __future__ import annotations

import sys
from pathlib import Path

from passband.errors import PassbandError, SuiteError, UnknownNameError
from passband.suite.evalsuite import EvalSuite
from passband.suite.jsonl import load_jsonl
from passband.suite.table import resolve_target

__all__ = ["BUILTIN", "load_suite"]

BUILTIN = "builtin"
"""The name under which the suite that ships with the package goes."""

_PYTHON = "python:"


def load_suite(spec: str) -> EvalSuite:
    """Load the suite that `spec` names.

    Parameters
    ----------
    spec : str
        ``builtin``; a folder with a ``suite.toml``; a ``.jsonl`` file; or ``python:package.module:function``, a
        function without arguments that returns an :class:`EvalSuite`.

    Returns
    -------
    EvalSuite

    Raises
    ------
    UnknownNameError
        Where nothing of that name exists.
    SuiteError
        Where what exists is not a suite.
    """
    from passband.suite.directory import load_directory

    if spec == BUILTIN:
        from importlib.resources import as_file, files

        with as_file(files("passband.suite") / "builtin") as folder:
            return load_directory(folder)
    if spec.startswith(_PYTHON):
        return _from_function(spec)
    path = Path(spec)
    if path.is_dir():
        if not (path / "suite.toml").is_file():
            fix = "give a folder with a suite.toml, or a .jsonl file"
            raise SuiteError("is not a suite: it holds no suite.toml", where=str(path.resolve()), fix=fix)
        return load_directory(path)
    if path.is_file():
        if path.suffix != ".jsonl":
            raise SuiteError("is not a suite", where=spec, fix="give a folder with a suite.toml, or a .jsonl file")
        return load_jsonl(path)
    raise UnknownNameError("suite", spec, [BUILTIN, *_suites_beside(path)])


def _suites_beside(path: Path) -> list[str]:
    if not path.parent.is_dir():
        return []
    entries = path.parent.iterdir()
    return [str(entry) for entry in entries if entry.suffix == ".jsonl" or (entry / "suite.toml").is_file()]


def _from_function(spec: str) -> EvalSuite:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: a team's suite module lies beside its work
    function = resolve_target(spec.removeprefix(_PYTHON), spec)
    try:
        suite = function()
    except PassbandError:
        raise
    except Exception as error:
        raise SuiteError(f"raised {type(error).__name__}: {error}", where=spec) from error
    if not isinstance(suite, EvalSuite):
        raise SuiteError(f"returned {type(suite).__name__}, not an EvalSuite", where=spec)
    return suite
