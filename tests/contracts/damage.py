"""What happens to model folders, and how it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from citewhy.artifact import MANIFEST, checksum
from citewhy.errors import DamagedError, ModelError
from citewhy.models import Kind, open_model

__all__ = ["STRANGE", "manifest", "one_sentence", "opened_or_refused", "sealed", "write"]

TYPED = (ModelError, DamagedError)
"""What `open_model` raises."""

STRANGE: list[Any] = [None, 0, -1, 1.5, "x", "", [], ["x"], {}, {"x": 1}, 10**18, True]


def manifest(folder: Path) -> dict[str, Any]:
    return dict(orjson.loads((folder / MANIFEST).read_bytes()))


def write(folder: Path, document: Any) -> None:
    (folder / MANIFEST).write_bytes(orjson.dumps(document))


def sealed(folder: Path) -> None:
    """Makes the manifest agree with whatever the files are now."""
    found = manifest(folder)
    for name, fact in found["files"].items():
        fact |= {"bytes": (folder / name).stat().st_size, "crc32": checksum(folder / name)}
    write(folder, found)


def one_sentence(folder: Path, kind: Kind) -> str:
    """What is said of a folder that is refused."""
    with pytest.raises(TYPED) as caught:
        open_model(folder, kind)
    said = str(caught.value)
    assert str(folder) in said
    assert "\n" not in said
    return said


def opened_or_refused(folder: Path, kind: Kind) -> Any:
    """The model, or None where one sentence says what is wrong."""
    try:
        return open_model(folder, kind)
    except TYPED as error:
        said = str(error)
    assert str(folder) in said
    assert "\n" not in said
    return None
