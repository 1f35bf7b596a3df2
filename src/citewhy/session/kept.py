"""Libraries that CiteWhy makes for itself in the user's cache, and makes again when they are damaged."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from citewhy.base.config import CACHE_VARIABLE
from citewhy.base.errors import DamagedError, LibraryError, LockedError, StorageError, VersionError
from citewhy.papers.library.store import Library


class Open(Protocol):
    """Opens the library in a folder, or creates it; `Library.open`, or `Library.over` another one."""

    def __call__(self, folder: Path, create: bool = False) -> Library: ...


def kept_library(
    folder: Path, fill: Callable[[Library], None], what: str, open_library: Open = Library.open
) -> Library:
    """The library in `folder`, which is made by `fill` if it is not there, damaged, or of another layout.

    It is made in a folder aside and renamed, so that it is whole or absent, also if two processes make it at
    the same time. Every row is checked before it is used. Raises StorageError, which calls the library
    `what`, if it cannot be written.
    """
    if folder.exists():
        try:
            return _open_verified(folder, open_library)
        except (DamagedError, VersionError):
            pass
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(folder, fill, open_library)
    except OSError as error:
        raise StorageError(
            f"cannot build {what}: {error.strerror or error}",
            path=folder,
            hint=f"set {CACHE_VARIABLE} to a writable folder",
        ) from error
    return open_library(folder)


def _open_verified(folder: Path, open_library: Open) -> Library:
    try:
        library = open_library(folder)
    except (LockedError, StorageError, VersionError):
        raise
    except LibraryError as error:
        raise DamagedError(error.problem, path=folder) from error
    try:
        library.verify()
    except BaseException:
        library.close()
        raise
    return library


def _make(folder: Path, fill: Callable[[Library], None], open_library: Open) -> None:
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        (aside / "new").mkdir()
        with open_library(aside / "new", create=True) as library:
            fill(library)
        if folder.exists():
            folder.rename(aside / "old")
        (aside / "new").rename(folder)
    except OSError:
        if not folder.exists():  # unless another process was faster
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
