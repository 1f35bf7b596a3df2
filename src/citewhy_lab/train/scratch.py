"""Where a training keeps what it needs to go on."""

from __future__ import annotations

from pathlib import Path

__all__ = ["checkpoints"]


def checkpoints(out: Path) -> Path:
    """The folder beside `out` from which an interrupted training is resumed, and that can be removed when
    `out` is there."""
    return out.with_name(f"{out.name}.training")
