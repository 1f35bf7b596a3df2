"""The library that answers when none was made yet: well-known papers that ship with the package."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from pathlib import Path

from citewhy.assets import starter_folder
from citewhy.config import CACHE_VARIABLE, VERSION, cache_folder, default_library
from citewhy.errors import DamagedError, StorageError, VersionError
from citewhy.formats import read
from citewhy.formats.report import ImportReport
from citewhy.index import refresh
from citewhy.library.opening import FILE_NAME, SCHEMA_VERSION
from citewhy.library.store import Library

__all__ = ["open_library", "open_starter"]


def open_library(folder: str | os.PathLike[str] | None = None) -> Library:
    """The library in `folder`; without one the user's own, or the starter library if nothing was added yet.

    Raises LibraryError where `folder` is not a library.
    """
    if folder is not None:
        return Library.open(folder)
    own = default_library()
    return Library.open(own) if (own / FILE_NAME).exists() else open_starter()


def open_starter() -> Library:
    """The starter library, made in the user's cache at the first call (about a second).

    It is a cache: where it is damaged, or of another layout, it is made again.
    """
    files = [starter_folder() / name for name in ("papers.jsonl", "citations.tsv")]
    made_of = zlib.crc32(b"".join(file.read_bytes() for file in files), SCHEMA_VERSION)
    folder = cache_folder() / f"starter-{VERSION}-{made_of:08x}"
    if (folder / FILE_NAME).exists():
        try:
            return _whole(folder)
        except (DamagedError, VersionError):
            pass
    _build(folder, files)
    return Library.open(folder)


def _whole(folder: Path) -> Library:
    """The library in `folder`, every row of it read."""
    library = Library.open(folder)
    try:
        library.verify()
    except BaseException:
        library.close()
        raise
    return library


def _build(folder: Path, files: list[Path]) -> None:
    """Writes the library aside and renames it: two first calls at once do not meet."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            report = ImportReport(strict=True)
            with Library.open(aside / "new", create=True) as library:
                library.add_all([(file.name, read(file, report)) for file in files], report)
                refresh(library)
            if folder.exists():
                folder.rename(aside / "old")
            (aside / "new").rename(folder)
        except OSError:
            if not (folder / FILE_NAME).exists():  # another process was not faster
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageError(
            f"the starter library cannot be made: {error.strerror or error}",
            path=folder,
            hint=f"name a folder that can be written in {CACHE_VARIABLE}",
        ) from error
