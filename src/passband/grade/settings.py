"""What a suite's own settings of pytest say, as far as a verdict hangs on it.

They are the suite's, never a candidate's: what is a test, and when it fails, must not change with the answer.
"""

from __future__ import annotations

import configparser
import itertools
import posixpath
import shlex
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Settings", "read_settings"]

# In the order in which pytest looks: the first that speaks to it is the one that counts.
_FILES = {
    "pytest.toml": "",
    ".pytest.toml": "",
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "pyproject.toml": "",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
_FOR_PYTEST_ALONE = frozenset({"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"})
_TAKEN = (
    "python_classes",
    "python_functions",
    "markers",
    "usefixtures",
    "filterwarnings",
    "xfail_strict",
    "log_level",
    "empty_parameter_set_mark",
    "disable_test_id_escaping_and_forfeit_all_rights_to_community_support",
)


@dataclass(frozen=True)
class Settings:
    """What of a suite's settings is taken."""

    folders: tuple[str, ...] = ()
    """Folders of the tree, besides its root, that modules are imported from."""
    options: tuple[str, ...] = ()
    """Options of pytest's command line that say the same."""
    elsewhere: str = ""
    """What of it only holds where the candidate runs in pytest's own process; empty if nothing."""


def read_settings(workspace: Mapping[str, bytes], hidden: Mapping[str, bytes]) -> Settings:
    """Read the settings of a suite's tree, over which its hidden files lie.

    Parameters
    ----------
    workspace, hidden : mapping
        Relative path → content.

    Returns
    -------
    Settings
        Of settings that pytest would not take either, what it would do without any.
    """
    found = _found({**workspace, **hidden})
    words = _words(found.get("addopts", ""))
    warnings = [*_words_of_option(words), *found.get("filterwarnings", "").split("\n")]
    options = [f"-o{name}={found[name]}" for name in _TAKEN if found.get(name, "").strip()]
    options += [f"-W{value}" for value in _words_of_option(words)]
    elsewhere = ""
    if any(line.strip().partition(":")[0] == "error" for line in warnings):
        elsewhere = "the suite's settings make errors of warnings"
    elif found.get("usefixtures", "").strip():
        elsewhere = "the suite's settings give every test a fixture"
    return Settings(_folders(found.get("pythonpath", ""), workspace), tuple(options), elsewhere)


def _found(tree: Mapping[str, bytes]) -> dict[str, str]:
    """Return the settings of the first file that has any, each as an ini file would have it."""
    for name, section in _FILES.items():
        if name not in tree:
            continue
        text = tree[name].decode(errors="replace")
        try:
            found = _of_ini(text, section) if section else _of_toml(text)
        except (ValueError, AttributeError, TypeError, configparser.Error):
            continue
        if found is not None or name in _FOR_PYTEST_ALONE:
            return found or {}
    return {}


def _of_ini(text: str, section: str) -> dict[str, str] | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    return dict(parser[section]) if parser.has_section(section) else None


def _of_toml(text: str) -> dict[str, str] | None:
    read = tomllib.loads(text)
    tool = read.get("tool", {}).get("pytest", {})
    table: dict[str, Any] = read.get("pytest") or tool.get("ini_options") or tool
    return {key: _as_ini(value) for key, value in table.items()} or None


def _as_ini(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _words_of_option(words: list[str]) -> list[str]:
    """Return what follows each ``-W`` of a command line."""
    values = []
    for word, following in itertools.zip_longest(words, words[1:], fillvalue=""):
        if word in {"-W", "--pythonwarnings"}:
            values.append(following)
        elif word.startswith("--pythonwarnings="):
            values.append(word.partition("=")[2])
        elif word.startswith("-W"):
            values.append(word[2:])
    return values


def _folders(pythonpath: str, tree: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the folders that pytest imports from: ``pythonpath``, else ``src``."""
    if named := _words(pythonpath):
        clean = [posixpath.normpath(folder) for folder in named]
        return tuple(f for f in clean if f != "." and not f.startswith(("/", "..")))
    packages = any(path.startswith("src/") and path.endswith(".py") for path in tree)
    return ("src",) if packages and "src/__init__.py" not in tree else ()
