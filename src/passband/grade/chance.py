"""How often a passing candidate is run again, by what its text may do that is not the same in every run.

Names are allowed, not forbidden. A candidate in which every name is known to mean the same in each run is run once. One
that lets the order of a set show is run under three of them. Anything else might toss a coin, by a clock, a
file, an address or a name put together, and is run again until luck is unlikely. Text alone cannot show one thing: the
address in the text of an object that has none of its own.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
import threading
import warnings
from typing import TYPE_CHECKING

from passband.grade.setorder import shows_order

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["reruns"]

_ORDER_RERUNS, _CHANCE_RERUNS = 2, 4


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


STEADY_BUILTINS = _words(
    "abs aiter all anext any bin bool bytearray bytes callable chr classmethod complex dict dir divmod enumerate",
    "filter float format frozenset hasattr hex input int isinstance issubclass iter len list map max memoryview min",
    "next object oct ord pow print property range reversed round set slice sorted staticmethod str sum super tuple",
    "type zip True False None NotImplemented Ellipsis __debug__ __name__ __doc__",
)
"""Built-ins that give the same in every run; so do exceptions."""
STEADY_MODULES = _words(
    "__future__ abc array base64 binascii bisect cmath collections contextlib copy dataclasses datetime decimal",
    "difflib enum fractions functools hashlib heapq html io itertools json math numbers operator re statistics string",
    "struct textwrap types typing unicodedata zlib",
)
"""Modules of the standard library that do, but for what `LEADING_AWAY` names."""
LEADING_AWAY = _words(
    # Modules that steady modules have imported.
    "_casefix _collections_abc _compiler _constants _hashlib _io _markupbase _parser _string _sys _thread argparse",
    "bltns builtins codecs copyreg inspect keyword os random sys warnings",
    # Things found, or code run, by a name or a text that is put together.
    "ForwardRef Formatter attrgetter get_field get_type_hints methodcaller singledispatch singledispatchmethod vformat",
    "ag_frame cr_frame f_back f_builtins f_globals f_locals gi_frame tb_frame",
    # Chance, clocks, files and addresses; and whatever a module may hold.
    "FileIO buffer_info chdir file_digest now open open_code samples today utcnow *",
)
"""Attributes by which even those lead to what does not."""
_STEADY_DUNDERS = _words(
    "__abs__ __add__ __and__ __annotations__ __bool__ __call__ __cause__ __ceil__ __class__ __complex__ __contains__",
    "__context__ __copy__ __deepcopy__ __delitem__ __divmod__ __doc__ __enter__ __eq__ __exit__ __float__ __floor__",
    "__floordiv__ __format__ __ge__ __getitem__ __gt__ __iadd__ __iand__ __imul__ __index__ __init__ __init_subclass__",
    "__int__ __invert__ __ior__ __isub__ __iter__ __ixor__ __le__ __len__ __lt__ __mod__ __mul__ __name__ __ne__",
    "__neg__ __new__ __next__ __or__ __pos__ __post_init__ __pow__ __qualname__ __radd__ __rand__ __reversed__",
    "__rmul__ __ror__ __round__ __rsub__ __set_name__ __setitem__ __str__ __sub__ __suppress_context__ __truediv__",
    "__trunc__ __version__ __xor__",
)
# Most programs can be told from their words alone, twenty times as fast: no word but of names, imports one by one, no
# set anywhere. Comments and texts are words as well, so that some are looked at twice.
_WORD = re.compile(r"[A-Za-z_]\w*")
_IMPORT = re.compile(r"^(?:from (\w+) import \w+(?:, *\w+)*|import (\w+)) *$", re.MULTILINE)
_TELLING = frozenset({"set", "frozenset", "keys", "items", "match", "coding"})
_UNSTEADY_WORDS = LEADING_AWAY | {name for name in dir(builtins) if name not in STEADY_BUILTINS and name[0].islower()}
# What the parser takes grows with the square of some lengths: of the parts of a dotted name in memory (gigabytes for a
# hundred thousand of them), of those of an f-string, of decorators, of the accents of one letter and of a text in some
# encodings in time. It runs here, on a candidate's text.
_PARSED_CAP, _MOST_DOTS, _MOST_ACCENTS = 1 << 17, 500, 500
_NO_NAME = re.compile(r"[^\w\s\\.]+")
_ASCII = re.compile(r"[\x00-\x7f]+")
_CODING = re.compile(rb"coding[:=][ \t]*([-\w.]+)")
_UTF8 = frozenset({b"utf-8", b"utf8"})
# Filters of warnings belong to the process: two threads must not put them back for each other.
_parsing = threading.Lock()


def reruns(
    changed: Mapping[str, bytes | None],
    confirmations: int,
    tree: Mapping[str, bytes] | None = None,
    hidden: Mapping[str, bytes] | None = None,
) -> int:
    """Return how often a passing candidate is run again before it counts as resolved.

    Parameters
    ----------
    changed : mapping
        The files it writes.
    confirmations : int
        What the numbers here are multiplied with: two where the order of a set may show, so that three are tried; four
        where anything is used that is not known to be the same in each run. Three draws of a coin come up right
        together in one run of eight, five in one of thirty-two.
    tree : mapping, optional
        All its files: modules it may import. The sets of those whose names it writes count as its own.
    hidden : mapping, optional
        The hidden files, whose sets it may be handed.

    Returns
    -------
    int
    """
    tree = tree or {}
    own = tree or changed
    sources = [content for path, content in changed.items() if content is not None and path.endswith(".py")]
    unclear = [source for source in sources if not (source.isascii() and _plain(source.decode("ascii"), own))]
    # Compiled code, and archives of code, hold zeros.
    binary = any(b"\0" in content for content in changed.values() if content is not None)
    if binary or sum(map(len, unclear)) > _PARSED_CAP:
        return _CHANCE_RERUNS * confirmations
    most = max((_reruns_of(source, own) for source in unclear), default=0)
    if most < _ORDER_RERUNS and (_any_shows_order(hidden or {}) or _any_shows_order(_named_in(changed, tree))):
        most = _ORDER_RERUNS
    return most * confirmations


def _any_shows_order(files: Mapping[str, bytes]) -> bool:
    return any(path.endswith(".py") and _order_may_show(content) for path, content in files.items())


@functools.lru_cache(maxsize=4096)
def _order_may_show(source: bytes) -> bool:
    tree = _parsed(source)
    return tree is not None and shows_order(tree)


def _named_in(changed: Mapping[str, bytes | None], tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a tree that are not changed and whose modules' names are words of those that are."""
    modules = _modules(tuple(tree))
    words = {
        word for content in changed.values() if content for word in _WORD.findall(content.decode(errors="replace"))
    }
    return {path: tree[path] for word in words & modules.keys() for path in modules[word] if path not in changed}


@functools.lru_cache(maxsize=64)
def _modules(paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the last part of each module's name → paths of such modules."""
    found: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(".py"):
            name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
            found.setdefault(name, []).append(path)
    return found


def _parsed(source: bytes) -> ast.Module | None:
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parseable(source: bytes) -> bool:
    """Whether a program of no more than the cap can be parsed at a cost that is bounded."""
    for line in source.splitlines()[:2]:
        if (match := _CODING.search(line)) and match[1].lower().replace(b"_", b"-") not in _UTF8:
            return False
    try:
        text = source.decode()
    except UnicodeDecodeError:
        return False
    return all(len(part) <= _MOST_ACCENTS for part in _ASCII.split(text)) and all(
        part.count(".") <= _MOST_DOTS for part in _NO_NAME.split(text)
    )


def _reruns_of(source: bytes, own: Collection[str]) -> int:
    tree = _parsed(source) if _parseable(source) else None
    if tree is None:
        return _CHANCE_RERUNS  # nothing is known of it
    if not all(_steady(node, own) for node in ast.walk(tree)):
        return _CHANCE_RERUNS
    return _ORDER_RERUNS if shows_order(tree) else 0


def _plain(text: str, own: Collection[str]) -> bool:
    """Whether the words of a program already say that it is steady and builds no set."""
    words = _WORD.findall(text)
    different = set(words)
    if "{" in text or "\\" in text or different & _TELLING or different & _UNSTEADY_WORDS:
        return False
    imports = [left or right for left, right in _IMPORT.findall(text)]
    return (
        len(imports) == words.count("import")
        and all(_steady_module(name, own) for name in imports)
        and all(_steady_name(word) and _steady_attribute(word) for word in different if word.startswith("__"))
    )


# Chance


def _steady(node: ast.AST, own: Collection[str]) -> bool:
    """Whether a node by itself is the same in every run."""
    if isinstance(node, ast.Name):
        return not isinstance(node.ctx, ast.Load) or _steady_name(node.id)
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load) or _steady_attribute(node.attr)
    if isinstance(node, ast.Import):
        return all(_steady_module(alias.name, own) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        if node.level > 0 or _is_own(node.module or "", own):
            return True
        return _steady_module(node.module or "", own) and all(_steady_attribute(alias.name) for alias in node.names)
    if isinstance(node, ast.MatchClass):  # it looks up attributes, those without a name by what the class says
        return not node.patterns and all(map(_steady_attribute, node.kwd_attrs))
    return not (isinstance(node, ast.FormattedValue) and node.conversion in {ord("r"), ord("a")})


def _steady_name(name: str) -> bool:
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, BaseException):
        return True
    return name in STEADY_BUILTINS or not (hasattr(builtins, name) or name.startswith("__"))


def _steady_attribute(name: str) -> bool:
    return name not in LEADING_AWAY and (not name.startswith("__") or name in _STEADY_DUNDERS)


def _steady_module(name: str, own: Collection[str]) -> bool:
    top, *rest = name.split(".")
    return _is_own(name, own) or (top in STEADY_MODULES and all(map(_steady_attribute, rest)))


def _is_own(name: str, own: Collection[str]) -> bool:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return False
    return any(path == f"{top}.py" or path.startswith(f"{top}/") for path in own)
