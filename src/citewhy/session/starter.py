"""The built-in starter library of well-known papers, which stands in until the user adds papers."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from citewhy.base.assets import starter_folder
from citewhy.base.config import VERSION, cache_folder, default_library
from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.papers.formats import read
from citewhy.papers.library.opening import FILE_NAME, SCHEMA_VERSION
from citewhy.papers.library.store import Library
from citewhy.search.index import find_engine
from citewhy.session.kept import kept_library

STARTER = "starter"
"""This asks for the starter library in place of a folder; a folder of that name is ``./starter``."""


def is_starter(folder: str | os.PathLike[str]) -> bool:
    """Whether the name of a folder asks for the starter library."""
    return os.fspath(folder) == STARTER


def own_library() -> Path | None:
    """The folder of the user's own library; None if there is none yet, or the starter library is asked for
    in its place."""
    folder = default_library()
    return folder if not is_starter(folder) and (folder / FILE_NAME).exists() else None


def library_folder(given: Path | None) -> Path | None:
    """The folder of the library that is named, or else of the user's own; None for the starter library."""
    if given is not None:
        return None if is_starter(given) else given
    return own_library()


def folder_to_add_to(given: Sequence[Path]) -> Path:
    """The folder of the library to which papers are added where the libraries `given` are open, which need
    not be there. Raises QueryError for the starter library."""
    folder = given[0] if given else default_library()
    if is_starter(folder):
        raise starter_is_fixed()
    return folder


def starter_is_fixed() -> QueryError:
    """Says that the starter library cannot be changed."""
    return QueryError("the starter library cannot be changed", hint="start your own with: citewhy add FILE…")


def open_library(folder: str | os.PathLike[str] | None = None) -> Library:
    """Opens the library in `folder`; by default the user's own library or, if there is none, the starter
    library. Raises LibraryError if `folder` is not a library."""
    if folder is not None and not is_starter(folder):
        return Library.open(folder)
    own = own_library() if folder is None else None
    return open_starter() if own is None else Library.open(own)


def open_starter() -> Library:
    """Opens the starter library. The first call builds it in the user's cache folder (about a second).

    If it is damaged or has another layout, it is rebuilt.
    """
    files = [starter_folder() / name for name in ("papers.jsonl", "citations.tsv")]
    made_of = zlib.crc32(b"".join(file.read_bytes() for file in files), SCHEMA_VERSION)

    def fill(library: Library) -> None:
        report = ImportReport(strict=True)
        library.add_all([(file.name, read(file, report)) for file in files], report)
        find_engine().refresh(library)

    return kept_library(cache_folder() / f"starter-{VERSION}-{made_of:08x}", fill, "the starter library")
