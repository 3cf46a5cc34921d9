"""Modules of the candidate as the hidden tests see them: names while tests are collected, live objects while they run.

Tests are collected once per case, before there is a candidate. What they import then is a promise
(:class:`Promise`); at the start of each run all promises are kept at once, by one request, and put in their places.
A promise that a test module uses while it is imported (calls, compares, derives from) cannot be kept: the case belongs
in tier 2, and collection says so.
"""

from __future__ import annotations

import dis
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.codec import UncrossableError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from passband.grade.inside.rpc.peer import Peer

__all__ = ["Promise", "RemoteFinder", "RemoteModule"]

_OURS = __file__.rsplit("/", 2)[0]
"""Folder of the grader's own code, which imports on behalf of tests."""
_PROBES = frozenset({"getattr", "hasattr"})
_Found = Mapping[tuple[str, str], Any]
_REFUSED = (
    *("call", "iter", "next", "len", "getitem", "setitem", "contains", "bool", "eq", "ne", "lt", "le", "gt", "ge"),
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "mod", "rmod", "pow"),
    *("neg", "pos", "abs", "invert", "and", "or", "xor", "enter", "exit", "int", "float", "index", "str", "format"),
    *("fspath", "mro_entries"),
)


class Promise:
    """A name of the candidate's that is not known yet."""

    __slots__ = ("_passband_finder", "_passband_module", "_passband_path")

    def __init__(self, finder: RemoteFinder, module: str, path: str) -> None:
        self._passband_finder, self._passband_module, self._passband_path = finder, module, path
        finder.want(module, path)

    def __getattr__(self, name: str) -> Promise:
        # Only the tests mean a name of the candidate's; pytest, mock and inspect merely try what an object has.
        if name.startswith(("__", "_passband")) or not self._passband_finder.asked_by_test(name):
            raise AttributeError(name)
        return Promise(self._passband_finder, self._passband_module, f"{self._passband_path}.{name}")

    def __repr__(self) -> str:
        return f"{self._passband_module}.{self._passband_path}"

    __hash__ = object.__hash__


def _refuse(name: str) -> Any:
    def refuse(self: Promise, *_args: Any) -> Any:
        what = f"{self!r} is used ({name}) before any test runs"
        self._passband_finder.refused.append(what)
        raise UncrossableError(what)

    return refuse


for _name in _REFUSED:
    setattr(Promise, f"__{_name}__", _refuse(f"__{_name}__"))


class RemoteModule(types.ModuleType):
    """A module of the candidate."""

    def __init__(self, name: str, finder: RemoteFinder) -> None:
        super().__init__(name)
        self.__dict__["_passband_finder"] = finder

    def __getattr__(self, name: str) -> Any:
        finder: RemoteFinder = self.__dict__["_passband_finder"]
        unasked = finder.peer is None or name.startswith("__")
        if name.startswith("_passband") or (unasked and not finder.asked_by_test(name)):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if finder.peer is None:
            return Promise(finder, self.__name__, name)
        return finder.peer.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        finder: RemoteFinder = self.__dict__["_passband_finder"]
        # The import system hangs submodules on their parents, and fills in the dunder names.
        if isinstance(value, RemoteModule) or name.startswith("__"):
            self.__dict__[name] = value
        elif finder.peer is None:
            raise finder.refuse(f"{self.__name__}.{name} is set before any test runs")
        else:
            finder.peer.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        finder: RemoteFinder = self.__dict__["_passband_finder"]
        if finder.peer is None:
            raise finder.refuse(f"{self.__name__}.{name} is deleted before any test runs")
        finder.peer.ask("del", self, name)


class RemoteFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the candidate's modules for hidden tests, and for nothing else.

    Parameters
    ----------
    root : str
        Folder of the hidden tests: only imports from files below it are answered.
    names : collection of str
        Top-level modules of the candidate's tree. Any other name that nothing else finds is also the candidate's.
    """

    def __init__(self, root: str, names: Collection[str]) -> None:
        self.root, self.names = root, frozenset(names)
        self.peer: Peer | None = None
        self.importer = ""
        self.wanted: dict[tuple[str, str], set[str]] = {}
        """(module, dotted path in it) → hidden files that need it; in the order of first need."""
        self.refused: list[str] = []
        """What collection could not do without a candidate."""
        self.rest = _Rest(self)

    def install(self) -> None:
        """Answer imports from now on: known names first, whatever else is missing last."""
        sys.meta_path.insert(0, self)
        sys.meta_path.append(self.rest)

    def want(self, module: str, path: str) -> None:
        """Note that the file being imported needs a name."""
        self.wanted.setdefault((module, path), set()).add(self._asking_file())

    def refuse(self, what: str) -> UncrossableError:
        """Note what cannot be done; returns the error to raise."""
        self.refused.append(what)
        return UncrossableError(what)

    def asked_by_test(self, name: str) -> bool:
        """Whether a test means an attribute of the candidate's, rather than pytest or the like trying what there is.

        Raises
        ------
        UncrossableError
            Where a test asks, before there is a candidate, whether it has the attribute.
        """
        frame = sys._getframe(2)
        itself = frame.f_code.co_filename.startswith(self.root)
        # On a test's behalf the import system looks for names to import, but also for the marks of modules.
        if not itself and ((name.startswith("__") and name != "__all__") or not self._asking_file()):
            return False
        if self.peer is None and itself:
            asked = _PROBES & set(frame.f_code.co_names)
            if asked and dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("CALL"):
                raise self.refuse(f"{min(asked)} asks for {name} before any test runs")
        return True

    def _asking_file(self) -> str:
        """Return the hidden file on whose behalf this is; empty where it is none."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(self.root):
                return file
            if not file.startswith("<frozen importlib") and not file.startswith(_OURS):
                return ""
            frame = frame.f_back
        return ""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the signature of meta path finders
        target: types.ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the candidate's tree."""
        top = fullname.partition(".")[0]
        known = top in self.names or isinstance(sys.modules.get(top), RemoteModule)
        return self.spec(fullname) if known and self._asking_file() else None

    def spec(self, fullname: str) -> importlib.machinery.ModuleSpec:
        """Make the spec of a module of the candidate."""
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Make the stand-in."""
        return RemoteModule(spec.name, self)

    def exec_module(self, module: types.ModuleType) -> None:
        """Import the original: now where there is a candidate, else at the start of each run."""
        if self.peer is None:
            self.want(module.__name__, "")
            return
        ((good, found),) = self.peer.ask("import", ((module.__name__, ""),))
        if not good:
            raise found if isinstance(found, BaseException) else ImportError(module.__name__)


class _Rest(importlib.abc.MetaPathFinder):
    def __init__(self, finder: RemoteFinder) -> None:
        self.finder = finder

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the signature of meta path finders
        target: types.ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> importlib.machinery.ModuleSpec | None:
        """Take a top-level name that nobody else knows for the candidate's."""
        if "." in fullname or not self.finder._asking_file():
            return None
        return self.finder.spec(fullname)
