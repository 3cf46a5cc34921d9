"""One task: what the subject gets, what must never reach it, and how an answer is graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from passband.errors import SuiteError
from passband.records.canonical import freeze

__all__ = ["DEFAULT_FORBIDDEN", "EvalCase", "ExactMatchSpec", "ExecutionSpec", "GraderSpec", "Limits", "PredicateSpec"]

DEFAULT_FORBIDDEN: tuple[str, ...] = (
    "tests/**",
    "**/conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    ".git",
    ".git/**",
    ".github/**",
    "**/__pycache__/**",
    "**/*.pyc",
)
"""Paths whose mere touching is a safety violation: they could bend the test run, the interpreter or the repository."""


# What the system takes: a month, four tebibytes, the most processes that Linux numbers.
_MOST = {"wall_s": 2**22, "cpu_s": 2**22, "mem_mb": 2**22, "file_mb": 2**22, "pids": 2**22, "output_kb": 2**22}


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one graded candidate may use."""

    wall_s: float = 30.0
    """Seconds on the clock; generous, since a busy machine must not fail a right answer."""
    cpu_s: float = 10.0
    """Seconds of CPU time; the tight one."""
    mem_mb: int = 1024
    """Address space of one process, MiB."""
    file_mb: int = 64
    """Largest file, and the size of the scratch space, MiB."""
    pids: int = 64
    """Processes and threads at once."""
    output_kb: int = 256
    """How much standard output and error is kept, KiB."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0:
                raise SuiteError(f"limit {name} must be above zero, not {getattr(self, name)}")
            if getattr(self, name) > _MOST[name]:
                raise SuiteError(f"limit {name} must be at most {_MOST[name]:,}, not {getattr(self, name)}")
        # 20 and 20.0 are one limit and must have one digest, whichever way the struct was made.
        for name in ("wall_s", "cpu_s"):
            msgspec.structs.force_setattr(self, name, float(getattr(self, name)))


class ExecutionSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="execution", tag_field="kind"
):
    """Apply a patch, run the hidden tests.

    ``all(FAIL_TO_PASS) and all(PASS_TO_PASS) and edits within allowed_files``, apart from it the safety veto.
    """

    fail_to_pass: tuple[str, ...]
    """Test ids that fail on the unmodified tree and must pass: the new behaviour is there."""
    pass_to_pass: tuple[str, ...] = ()
    """Test ids that pass on the unmodified tree and must still pass: nothing regressed."""
    allowed_files: tuple[str, ...] = ("**",)
    """Globs, gitignore style; an edit outside them is out of scope."""
    forbidden: tuple[str, ...] = DEFAULT_FORBIDDEN
    """Globs; an edit inside them is a safety violation, whatever else the patch does."""
    limits: Limits = Limits()
    tier: Literal["auto", "split", "pytest", "command"] = "auto"
    """``split``: judge and candidate in separate processes (tier 1). ``pytest``: whole-repository run (tier 2).
    ``command``: any other test runner, started afresh for each candidate (tier 3)."""
    command: tuple[str, ...] = ()
    """Tier 3: the program that runs the hidden tests. ``{python}``, ``{repo}``, ``{hidden}`` and ``{results}`` stand
    for the interpreter, the candidate's tree, the folder of the hidden files and the file for the results."""
    results: Literal["junit", "tap", "unittest"] = "junit"
    """Tier 3: JUnit XML in ``{results}``, or TAP or the verbose text of :mod:`unittest` on standard output or error."""

    def __post_init__(self) -> None:
        if (self.tier == "command") != bool(self.command):
            raise SuiteError("tier 'command' and a command go together", fix="give both or neither")
        if not self.fail_to_pass:
            raise SuiteError(
                "fail_to_pass names no test", fix="an execution case needs at least one test that fails first"
            )
        both = set(self.fail_to_pass) & set(self.pass_to_pass)
        if both:
            raise SuiteError(f"test {min(both)!r} stands in both fail_to_pass and pass_to_pass")
        for name in ("fail_to_pass", "pass_to_pass"):
            ids = getattr(self, name)
            if len(set(ids)) != len(ids):
                raise SuiteError(f"{name} names a test twice")


class ExactMatchSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exact_match", tag_field="kind"
):
    """The answer's text equals the reference."""

    strip: bool = True
    """Leave out white space at both ends before comparing."""
    ignore_case: bool = False
    """Compare after Unicode case folding."""


class PredicateSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="predicate", tag_field="kind"
):
    """A Python function of (answer text, case) decides; what it raises is a failing verdict."""

    target: str
    """``module:function``; trusted code of the suite's author, run in this process."""
    digest: str = ""
    """SHA-256 of the function's source, filled in when the suite is loaded, so that the version moves with the code."""


GraderSpec = ExecutionSpec | ExactMatchSpec | PredicateSpec


class EvalCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task of a suite.

    The subject sees ``id``, ``inputs`` and ``workspace``. It never sees ``reference``, ``grader_spec`` or ``hidden``.
    """

    id: str
    inputs: Mapping[str, Any]
    """What the subject is told: JSON-like. Code cases carry ``issue``."""
    grader_spec: GraderSpec
    reference: Any = None
    """An answer that must pass: the text of a patch, or the expected value."""
    slices: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Name → value: the groups this case is reported in."""
    tags: tuple[str, ...] = ()
    workspace: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """Relative POSIX path → content: the tree the subject gets."""
    hidden: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """Relative POSIX path → content: the tests, for the judge alone."""

    def __post_init__(self) -> None:
        if not self.id or self.id != self.id.strip() or min(self.id) < " ":
            raise SuiteError(f"case id {self.id!r} is empty, padded or holds a control character")
        self._check_reference()
        # Frozen to the leaves: the suite's version is computed once and must stay true.
        for name in ("inputs", "slices", "workspace", "hidden", "reference"):
            msgspec.structs.force_setattr(self, name, freeze(getattr(self, name)))

    def _check_reference(self) -> None:
        """Refuse a reference that no answer's text could be compared with, or that is no answer."""
        spec, reference = self.grader_spec, self.reference
        if isinstance(spec, PredicateSpec) or isinstance(reference, str):
            return
        where = f"case {self.id}"
        if reference is None:
            if isinstance(spec, ExactMatchSpec):
                raise SuiteError(
                    "exact_match has no reference to match", where=where, fix="add reference, the text that is right"
                )
        else:
            kind = type(reference).__name__
            fix = f"write it as text: {str(reference)!r}" if isinstance(reference, int | float) else "write it as text"
            raise SuiteError(f"the reference must be text, not {kind}", where=where, fix=fix)
