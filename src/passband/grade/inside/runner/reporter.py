"""What tests came to, as records over a descriptor."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from passband.grade.inside.clip import clip
from passband.grade.inside.twins.soft import take

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

__all__ = ["Reporter"]

_MESSAGE = 600


class Reporter:
    """Keeps one line a report and one at the end, until somebody takes them: a report that does not end is none."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._parts: dict[str, pytest.TestReport] = {}
        """Test id → the first part of it that failed."""
        self.count = 0
        self.names: dict[str, str] = {}
        """Test id → the name to report it under, where that is another."""
        self.failed: dict[str, str] = {}
        """Files that could not be collected, and why."""

    def send(self, record: Mapping[str, Any]) -> None:
        """Add one record."""
        self._lines.append(json.dumps(record).encode() + b"\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Keep the kind of exception a test failed with."""
        report = yield
        report.error = call.excinfo.typename if call.excinfo is not None else ""
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report a phase of a test; what a part of it (``subTest``) fails with is what it fails with."""
        if "subtest" in type(report).__name__.lower():
            if report.failed:
                self._parts.setdefault(report.nodeid, report)
            return
        if report.when == "call":
            part = self._parts.pop(report.nodeid, None)
            if part is not None and report.passed:
                report = part
        self.count += 1
        message = "" if report.passed else clip(_message(report), _MESSAGE)
        self.send(
            {
                "kind": "report",
                "id": self.names.get(report.nodeid, report.nodeid),
                "when": report.when,
                "outcome": report.outcome,
                "xfail": hasattr(report, "wasxfail"),
                "error": getattr(report, "error", ""),
                "message": message,
                "notes": take(),
            }
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Report a file that could not be collected."""
        if not report.passed:
            self.failed[report.nodeid] = clip(str(report.longrepr), _MESSAGE)

    def plain(self, id_: str, outcome: str, error: str, message: str) -> None:
        """Report a test that ran without pytest: setup and teardown had nothing to do."""
        self.count += 1
        record: dict[str, Any] = {"kind": "plain", "id": self.names.get(id_, id_), "outcome": outcome}
        if notes := take():
            record["notes"] = notes
        if message:
            record.update(error=error, message=clip(message, _MESSAGE))
        self.send(record)

    def finish(self) -> bytes:
        """Return all records, what could not be collected and the last one included, and begin anew."""
        for file, message in self.failed.items():
            self.send({"kind": "collect", "id": file, "message": message})
        self.send({"kind": "finish", "count": self.count})
        data = b"".join(self._lines)
        self._lines.clear()
        self.count = 0
        return data

    def write(self, fd: int) -> None:
        """Finish, and write all of it to a descriptor."""
        data = self.finish()
        while data:
            data = data[os.write(fd, data) :]


def _message(report: pytest.TestReport) -> str:
    """Say what a phase failed with: the exception, not the lines of source that led to it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr if crash is None else crash.message)
    kind = getattr(report, "error", "")
    # Of a failed assertion pytest leaves out the type.
    return f"{kind}: {text}" if crash is not None and kind and kind not in text.partition(":")[0] else text
