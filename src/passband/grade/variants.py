"""Tier 1: which variants of a test file serve as the must-fail twins of a test, by how they failed on the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.grade.material import key_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.grade.material import Material
    from passband.grade.report import Report

__all__ = ["loose_of", "twins_of"]


def _group(material: Material, key: str) -> str:
    """Return what a test's twins are made of: its own sites, or else its helpers' ("")."""
    file, unit, _place = key_parts(key)
    return unit if material.sites.get((file, unit)) else ""


def _label(variant: str) -> str:
    return variant.removesuffix(".py").rpartition("_")[2]


def _failing(material: Material, keys: Sequence[str], report: Report) -> Iterator[tuple[str, str, str]]:
    """Find the variants in which tests failed, on the reference, as twins must: (key, variant, key in it)."""
    for key in keys:
        file, unit, place = key_parts(key)
        for variant in material.variants[file]:
            twin = f"{variant}::{unit}#{place}"
            if report.failed_in_call(twin):
                yield key, variant, twin


def twins_of(material: Material, keys: Sequence[str], report: Report) -> dict[str, list[str]]:
    """Return the twins of each test: by its own sites, or if it has none by those of helpers."""
    twins: dict[str, list[str]] = {}
    for key, variant, twin in _failing(material, keys, report):
        if _label(variant).startswith("t" if _group(material, key) else "h"):
            twins.setdefault(key, []).append(twin)
    return twins


def loose_of(material: Material, keys: Sequence[str], report: Report) -> frozenset[str]:
    """Return the twins that do not fail by assertion: the wrong exception is expected, and the right one comes out."""
    return frozenset(
        twin for _key, _variant, twin in _failing(material, keys, report) if not report.failed_as_due(twin)
    )
