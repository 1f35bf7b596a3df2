"""Libraries that CiteWhy makes for itself in the user's cache, and makes again when they are damaged."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from citewhy.base.config import CACHE_VARIABLE
from citewhy.base.errors import DamagedError, StorageError, VersionError
from citewhy.papers.library.opening import FILE_NAME
from citewhy.papers.library.store import Library


def kept_library(folder: Path, fill: Callable[[Library], None], what: str) -> Library:
    """The library in `folder`, which is made by `fill` if it is not there, damaged, or of another layout.

    It is made in a folder aside and renamed, so that it is whole or absent, also if two processes make it at
    the same time. Every row is checked before it is used. Raises StorageError, which calls the library
    `what`, if it cannot be written.
    """
    if (folder / FILE_NAME).exists():
        try:
            return _open_verified(folder)
        except (DamagedError, VersionError):
            pass
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(folder, fill)
    except OSError as error:
        raise StorageError(
            f"cannot build {what}: {error.strerror or error}",
            path=folder,
            hint=f"set {CACHE_VARIABLE} to a writable folder",
        ) from error
    return Library.open(folder)


def _open_verified(folder: Path) -> Library:
    library = Library.open(folder)
    try:
        library.verify()
    except BaseException:
        library.close()
        raise
    return library


def _make(folder: Path, fill: Callable[[Library], None]) -> None:
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        with Library.open(aside / "new", create=True) as library:
            fill(library)
        if folder.exists():
            folder.rename(aside / "old")
        (aside / "new").rename(folder)
    except OSError:
        if not (folder / FILE_NAME).exists():  # unless another process was faster
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
