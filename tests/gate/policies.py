"""Policies made of TOML text."""

from __future__ import annotations

from passband.gate import read_policy


def policy(tmp_path, text):
    """Write and read a policy."""
    path = tmp_path / "gate.toml"
    path.write_text(text)
    return read_policy(path)
