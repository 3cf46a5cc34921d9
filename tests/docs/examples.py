"""Runs the examples of a document in order, as a reader would.

- A fenced block whose info string names a file (```` ```toml my-suite/suite.toml ````) is written to that file.
- In a ``console`` block, a line after ``$ `` is run by a shell; the lines below it are what it must print, where ``…``
  stands for anything. A command that is to fail says so: ``$ passband compare a b  # exit 3``.
- In a ``python`` block, ``>>>`` lines run as a doctest.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    file: str
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a document."""
    found = []
    for match in _FENCE.finditer(text):
        language, _, file = match["info"].strip().partition(" ")
        found.append(Block(language, file.strip(), match["body"], text[: match.start()].count("\n") + 1))
    return found


def has_examples(path: Path) -> bool:
    """Whether a document holds anything to run."""
    found = blocks(path.read_text(encoding="utf-8"))
    return any(block.language == "console" or (block.language == "python" and ">>>" in block.body) for block in found)


def run_document(path: Path) -> int:
    """Run a document's examples in the current folder and return how many there were."""
    done = 0
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.file:
            target = Path(block.file)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
        elif block.language == "console":
            for command, expected in _commands(block.body):
                _run(command, expected, f"{path.name}:{block.line}")
                done += 1
        elif block.language == "python" and ">>>" in block.body:
            done += _doctest(block, path)
    return done


def _commands(body: str):
    command, expected = "", []
    for line in body.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, expected
            command, expected = line[2:], []
        elif command.endswith("\\"):
            command = command[:-1] + line.strip()
        else:
            expected.append(line)
    if command:
        yield command, expected


def _run(command: str, expected: list[str], where: str) -> None:
    wanted = _EXIT.search(command)
    code = int(wanted[1]) if wanted else 0
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        _EXIT.sub("", command), shell=True, capture_output=True, text=True, env=environment, check=False, timeout=240
    )
    assert done.returncode == code, f"{where}: {command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    pattern = r"\s*".join(
        ".*".join(re.escape(part.strip()) for part in line.split("…")) for line in expected if line.strip()
    )
    shown = re.sub(r"[ \t]+", " ", done.stdout)
    pattern = re.sub(r"(\\ )+", r"\\s+", pattern)
    assert re.search(pattern, shown, re.DOTALL), f"{where}: {command} printed\n{done.stdout}\nnot\n" + "\n".join(
        expected
    )


def _doctest(block: Block, path: Path) -> int:
    test = doctest.DocTestParser().get_doctest(block.body, {}, path.name, str(path), block.line)
    out: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=out.append)
    assert not runner.failures, "".join(out)
    return runner.tries
