"""Linkers on disk: the reader ``linear-trees`` of the kind ``linker``, and the linker that ships.

model.json        columns, linear, trees, margin, facets, common
manifest.json     facts: what the linker was made of, and its cross-fitted figures
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import orjson

from citewhy.base.artifact import folder_aside
from citewhy.base.assets import linker_folder
from citewhy.base.errors import DamagedError
from citewhy.models import ModelFolder, open_model, write_model
from citewhy.ranking.linkage.learned import LearnedLinker
from citewhy.ranking.linkage.linker import Linker

_MODEL = "model.json"


def read_linker(folder: ModelFolder) -> LearnedLinker:
    """Raises DamagedError for a document that is not a linker, or has other features."""
    try:
        return LearnedLinker.of(folder.json(_MODEL))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise DamagedError(
            f"this is not a linker ({type(error).__name__}: {error})",
            path=folder.path / _MODEL,
            hint="make it with: citewhy train linkage",
        ) from error


def write_linker(out: Path, name: str, document: Mapping[str, Any]) -> None:
    """Writes the model folder `out`: `document` is what `LearnedLinker.of` reads, with ``making``, which
    becomes the facts of the manifest.

    Raises StorageError.
    """
    content = {key: value for key, value in document.items() if key != "making"}
    with folder_aside(out) as aside:
        (aside / _MODEL).write_bytes(orjson.dumps(content) + b"\n")
        write_model(aside, "linker", "linear-trees", name, document["making"])


def open_linker(folder: Path | None) -> Linker:
    """The linker in a model folder; None: the built-in one. Raises what `models.open_model` raises."""
    return default_linker() if folder is None else cast("Linker", open_model(folder, "linker"))


@functools.lru_cache(maxsize=1)
def default_linker() -> Linker:
    """The built-in linker."""
    return open_linker(linker_folder())
