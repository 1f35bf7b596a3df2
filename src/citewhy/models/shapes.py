"""Shapes of the arrays in a file, from its header, without loading arrays or running anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

Shapes = Mapping[str, tuple[int | str, ...]]
"""Shapes stand under the name of an array, or of a network's input; a variable size is a string."""

_LARGEST_HEADER = 100_000_000
"""Maximum bytes of a header; the limit of the format."""


def stored_shapes(path: Path) -> Shapes:
    """Shapes of the arrays of a ``.safetensors`` file, and of the one in a ``.npy`` file, which is called
    ``array``; none for other files.

    Raises ValueError for a header that cannot be read.
    """
    if path.suffix == ".safetensors":
        return _safetensors(path)
    return {"array": _npy(path)} if path.suffix == ".npy" else {}


def _npy(path: Path) -> tuple[int, ...]:
    import numpy as np

    try:
        shape: tuple[int, ...] = np.lib.format.open_memmap(path, mode="r").shape
    except Exception as error:  # the header is parsed as Python: it raises anything
        raise ValueError(f"the header is damaged ({error})") from error
    return shape


def _safetensors(path: Path) -> Shapes:
    """The file starts with the length of its header in eight bytes, followed by the header in JSON:
    https://huggingface.co/docs/safetensors (Format)."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _LARGEST_HEADER:
            raise ValueError("the header is too long")
        header = orjson.loads(file.read(length))
    return {name: tuple(fact["shape"]) for name, fact in header.items() if name != "__metadata__"}
