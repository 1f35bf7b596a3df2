"""Results that are kept on disk, so that an experiment of hours can be interrupted and goes on."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import replace_file

__all__ = ["Arrays", "digest", "remembered"]

Arrays = Mapping[str, NDArray[Any]]


def digest(*facts: object) -> str:
    """Of the `repr` of what a result depends on: 24 characters."""
    return hashlib.blake2b(repr(facts).encode(), digest_size=12).hexdigest()


def remembered(path: Path, make: Callable[[], Arrays]) -> Arrays:
    """Reads `path`, or makes the arrays and writes them there. Raises StorageError."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        file = io.BytesIO()
        made: dict[str, Any] = dict(make())
        np.savez_compressed(file, **made)
        replace_file(path, file.getvalue())
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}
