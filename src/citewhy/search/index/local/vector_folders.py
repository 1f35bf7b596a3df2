"""Folders of vectors that follow the library: what is missing, behind or damaged is made again.

    vectors/
      cache.sqlite                  vectors by text and encoder (`vector_cache`)
      papers-<fingerprint>/         of one encoder (`dense`): vectors; manifest.json has the generation
      sentences-<fingerprint>/      the same
      parts-<fingerprint>/          the same (`parts`)

The library is the truth, and texts whose vectors are in the cache are not encoded again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from citewhy.base.artifact import folder_aside, one_writer, read_manifest, write_manifest
from citewhy.base.errors import DamagedError
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.local.opened import LocalIndex

__all__ = ["follow"]

_LAYOUT = 1
_ATTEMPTS = 5


class Following(Protocol):
    """What is opened from a folder."""

    generation: int
    """Of the library."""

    @property
    def rows(self) -> int:
        """Number of papers or sentences, used or not."""
        ...


F = TypeVar("F", bound=Following)

Save = Callable[[Path], None]
"""Writes the files into a folder."""


def follow(
    name: str,
    library: Library,
    encoder: Encoder,
    index: LocalIndex,
    rows: int,
    load: Callable[[Path, int], F],
    make: Callable[[F | None, int], Save],
) -> F:
    """What the folder `name` of an encoder has, at the generation of `index`, with `rows`.

    `load` opens a folder, given its generation; RuntimeError, OSError or ValueError mean that it is damaged.
    Where it is not at that state, `make` is called with what there is, and its generation, or with None and
    0; what it returns is called once nobody else writes. Raises StorageError where nothing can be written.
    """
    folder = library.folder / "vectors" / f"{name}-{encoder.fingerprint}"
    for _ in range(_ATTEMPTS):
        held = _opened(folder, library, load)
        if held is not None and held.generation == index.generation and held.rows == rows:
            return held
        usable = held is not None and held.generation <= index.generation
        save = make(held, held.generation) if held is not None and usable else make(None, 0)
        # Other processes may encode at the same time.
        with one_writer(folder.parent, "vectors cannot be kept"), folder_aside(folder) as aside:
            save(aside)
            write_manifest(
                aside,
                {
                    "layout": _LAYOUT,
                    "encoder": encoder.name,
                    "generation": index.generation,
                    "mark": library.mark_of(index.generation),
                },
            )
    raise DamagedError("the vectors change faster than they can be read", path=folder, hint="try again")


def _opened(folder: Path, library: Library, load: Callable[[Path, int], F]) -> F | None:
    """None if there is no intact one of this library."""
    try:
        facts = read_manifest(folder)
        if facts["layout"] != _LAYOUT or facts["mark"] != library.mark_of(facts["generation"]):
            return None
        return load(folder, facts["generation"])
    except (DamagedError, KeyError, OSError, RuntimeError, ValueError):  # faiss raises only RuntimeError
        return None
