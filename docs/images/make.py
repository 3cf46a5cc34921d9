"""Draw the pictures of real output that the documents show: runs the commands, writes what they print as SVG."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
COLOURS = {"BETTER": "#1a7f37", "WORSE": "#cf222e", "▲": "#1a7f37", "▼": "#cf222e", "?": "#9a6700", "✗": "#cf222e"}
CHAR, LINE, PAD = 7.8, 18, 16


def passband(folder: str, *arguments: str) -> str:
    """Run a command in a folder and return what it prints."""
    command = [sys.executable, "-m", "passband", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode not in {0, 1, 3}:
        raise SystemExit(done.stderr)
    return done.stdout.rstrip()


def svg(command: str, text: str) -> str:
    """Draw a terminal."""
    lines = [f"$ {command}", *text.splitlines()]
    width = max(map(len, lines)) * CHAR + 2 * PAD
    height = len(lines) * LINE + 2 * PAD
    rows = []
    for i, line in enumerate(lines):
        colour = next((c for mark, c in COLOURS.items() if mark in line), "#24292f") if i else "#57606a"
        y = PAD + (i + 1) * LINE - 5
        rows.append(f'<text x="{PAD}" y="{y}" fill="{colour}" xml:space="preserve">{escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#f6f8fa" stroke="#d0d7de"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def main() -> None:
    """Run two subjects on the built-in suite and draw their comparison."""
    with tempfile.TemporaryDirectory() as folder:
        for subject in ("mutator", "mutator-focus"):
            passband(folder, "run", "builtin", "--subject", subject, "-n", "8", "--seed", "7")
        ids = [line.split()[0] for line in passband(folder, "runs").splitlines()[1:]]
        text = passband(folder, "compare", *ids)
    (HERE / "compare.svg").write_text(svg(f"passband compare {' '.join(ids)}", text), encoding="utf-8")


if __name__ == "__main__":
    main()
