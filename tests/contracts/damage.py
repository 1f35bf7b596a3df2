"""Helpers that damage model folders and check the error messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from citewhy.base.artifact import MANIFEST, checksum
from citewhy.base.errors import DamagedError, ModelError
from citewhy.models import Kind, open_model

__all__ = ["STRANGE", "manifest", "one_sentence", "opened_or_refused", "sealed", "write"]

TYPED = (ModelError, DamagedError)
"""The errors that `open_model` may raise."""

STRANGE: list[Any] = [None, 0, -1, 1.5, "x", "", [], ["x"], {}, {"x": 1}, 10**18, True]


def manifest(folder: Path) -> dict[str, Any]:
    return dict(orjson.loads((folder / MANIFEST).read_bytes()))


def write(folder: Path, document: Any) -> None:
    (folder / MANIFEST).write_bytes(orjson.dumps(document))


def sealed(folder: Path) -> None:
    """Updates the manifest to the current contents of the files."""
    found = manifest(folder)
    for name, fact in found["files"].items():
        fact |= {"bytes": (folder / name).stat().st_size, "crc32": checksum(folder / name)}
    write(folder, found)


def one_sentence(folder: Path, kind: Kind) -> str:
    """The error message for a folder that must be refused: one line that names the folder."""
    with pytest.raises(TYPED) as caught:
        open_model(folder, kind)
    message = str(caught.value)
    assert str(folder) in message
    assert "\n" not in message
    return message


def opened_or_refused(folder: Path, kind: Kind) -> Any:
    """The model, or None if it is refused with an error message of one line."""
    try:
        return open_model(folder, kind)
    except TYPED as error:
        message = str(error)
    assert str(folder) in message
    assert "\n" not in message
    return None
