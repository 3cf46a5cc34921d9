"""What a chat model may do as a coding agent: read, edit, run the visible tests, submit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from passband.records import Limits
from passband.subject.base import SubjectFault
from passband.subject.chat.messages import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passband.subject.chat.messages import ToolCall

__all__ = ["TOOLS", "Workbench"]

_PATH = {"path": {"type": "string", "description": "Path from the root of the repository."}}
TOOLS: Sequence[Tool] = (
    Tool(name="read_file", description="Read a file.", parameters=_PATH),
    Tool(
        name="edit_file",
        description="Replace a piece of text that stands in the file exactly once.",
        parameters=_PATH
        | {
            "search": {"type": "string", "description": "The text as it stands in the file."},
            "replace": {"type": "string", "description": "The text to put in its place."},
        },
    ),
    Tool(
        name="write_file",
        description="Write a whole file, new or not.",
        parameters=_PATH | {"content": {"type": "string", "description": "All of the file."}},
    ),
    Tool(name="run_tests", description="Run the visible tests with pytest and read what they say."),
    Tool(name="submit", description="Hand in the repository as it is. Nothing can be changed afterwards."),
)
"""In the order they are offered in."""

_SHOWN = 20_000  # characters of a tool's result
_LIMITS = Limits(wall_s=60.0, cpu_s=30.0, mem_mb=1024)
_TESTS = ("python", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=short")


class Workbench:
    """A workspace that a model works on, in memory; tests run on a copy in the sandbox.

    Parameters
    ----------
    workspace : mapping
        Relative POSIX path → content.
    unsafe : bool
        Let tests run without isolation where this machine gives none.
    """

    def __init__(self, workspace: Mapping[str, bytes], *, unsafe: bool) -> None:
        self.files = dict(workspace)
        self.submitted = False
        self._unsafe = unsafe
        self._tools: Mapping[str, Callable[..., str]] = {
            "read_file": self._read,
            "edit_file": self._edit,
            "write_file": self._write,
            "run_tests": self._test,
            "submit": self._submit,
        }

    def use(self, call: ToolCall) -> str:
        """Carry out a call and say what came of it; whatever the model wrote, there is an answer."""
        tool = next((tool for tool in TOOLS if tool.name == call.name), None)
        if tool is None:
            return f"error: there is no tool {call.name!r}; there are {', '.join(self._tools)}"
        try:
            arguments = orjson.loads(call.arguments or "{}")
        except orjson.JSONDecodeError as error:
            return f"error: the arguments are not JSON: {error}"
        problem = _problem(tool, arguments)
        if problem:
            return f"error: {problem}"
        said = self._tools[call.name](**arguments)
        return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}\n… ({len(said) - _SHOWN} characters more)"

    def _read(self, path: str) -> str:
        if path not in self.files:
            return self._missing(path)
        return self.files[path].decode(errors="replace")

    def _edit(self, path: str, search: str, replace: str) -> str:
        if path not in self.files:
            return self._missing(path)
        times = self.files[path].count(search.encode()) if search else 0
        if times != 1:
            return f"error: the text to replace stands in {path} {times} times, not once"
        self.files[path] = self.files[path].replace(search.encode(), replace.encode())
        return f"edited {path}"

    def _write(self, path: str, content: str) -> str:
        from passband.grade.patch import path_fault

        if not path.strip() or (fault := path_fault(path)):
            return f"error: {path!r} is no path within the repository{f': {fault}' if path.strip() else ''}"
        if other := next((there for there in self.files if _one_within(there, path)), ""):
            return f"error: {path!r} cannot be beside {other!r}: a file is no folder"
        self.files[path] = content.encode()
        return f"wrote {path}"

    def _test(self) -> str:
        from passband.sandbox import run_command

        result = run_command(_TESTS, files=self.files, limits=_LIMITS, unsafe=self._unsafe)
        if result.fault is not None:
            raise SubjectFault(f"the sandbox failed: {result.fault.detail}")
        said = result.output.decode(errors="replace")
        return f"{said}\n(timed out)" if result.timed_out else said or result.error

    def _submit(self) -> str:
        self.submitted = True
        return "submitted"

    def _missing(self, path: str) -> str:
        return f"error: there is no file {path!r}; there are: {', '.join(sorted(self.files)[:50])}"


def _one_within(one: str, two: str) -> bool:
    return one.startswith(f"{two}/") or two.startswith(f"{one}/")


def _problem(tool: Tool, arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return "the arguments are not an object"
    for name in tool.parameters:
        if not isinstance(arguments.get(name), str):
            return f"{tool.name} needs {name}, a string"
    extra = sorted(set(arguments) - set(tool.parameters))
    return f"{tool.name} takes no {extra[0]!r}" if extra else ""
