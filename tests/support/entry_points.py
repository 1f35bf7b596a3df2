"""Packages as if they were installed: what entry points name, found by `importlib.metadata`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def install(site: Path, name: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Writes into a folder of packages that the package `name` has these entry points, by group."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        line
        for group, targets in groups.items()
        for line in (f"[{group}]", *(f"{key} = {target}" for key, target in targets.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
