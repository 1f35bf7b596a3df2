"""The built-in starter library of well-known papers, which is used until the user adds papers."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from pathlib import Path

from citewhy.base.assets import starter_folder
from citewhy.base.config import CACHE_VARIABLE, VERSION, cache_folder, default_library
from citewhy.base.errors import DamagedError, StorageError, VersionError
from citewhy.papers.formats import read
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.opening import FILE_NAME, SCHEMA_VERSION
from citewhy.papers.library.store import Library
from citewhy.search.index import find_engine


def open_library(folder: str | os.PathLike[str] | None = None) -> Library:
    """Opens the library in `folder`; by default the user's own library or, if there is none, the starter
    library. Raises LibraryError if `folder` is not a library."""
    if folder is not None:
        return Library.open(folder)
    own = default_library()
    return Library.open(own) if (own / FILE_NAME).exists() else open_starter()


def open_starter() -> Library:
    """Opens the starter library. The first call builds it in the user's cache folder (about a second).

    If it is damaged or has another layout, it is rebuilt.
    """
    files = [starter_folder() / name for name in ("papers.jsonl", "citations.tsv")]
    made_of = zlib.crc32(b"".join(file.read_bytes() for file in files), SCHEMA_VERSION)
    folder = cache_folder() / f"starter-{VERSION}-{made_of:08x}"
    if (folder / FILE_NAME).exists():
        try:
            return _open_verified(folder)
        except (DamagedError, VersionError):
            pass
    _build(folder, files)
    return Library.open(folder)


def _open_verified(folder: Path) -> Library:
    """The library in `folder`, with every row checked."""
    library = Library.open(folder)
    try:
        library.verify()
    except BaseException:
        library.close()
        raise
    return library


def _build(folder: Path, files: list[Path]) -> None:
    """Builds the library in a temporary folder and renames it: two processes may do so at the same time."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            report = ImportReport(strict=True)
            with Library.open(aside / "new", create=True) as library:
                library.add_all([(file.name, read(file, report)) for file in files], report)
                find_engine().refresh(library)
            if folder.exists():
                folder.rename(aside / "old")
            (aside / "new").rename(folder)
        except OSError:
            if not (folder / FILE_NAME).exists():  # unless another process was faster
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageError(
            f"cannot build the starter library: {error.strerror or error}",
            path=folder,
            hint=f"set {CACHE_VARIABLE} to a writable folder",
        ) from error
