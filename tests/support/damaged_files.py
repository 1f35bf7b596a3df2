"""Ways in which a file is not what was written."""

from __future__ import annotations

from pathlib import Path

__all__ = ["cut", "empty", "one_bit"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def one_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def empty(file: Path) -> None:
    file.write_bytes(b"")
