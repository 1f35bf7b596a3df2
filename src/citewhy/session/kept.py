"""Libraries that CiteWhy makes for itself in the user's cache, and makes again when they are damaged.

<kind>/<name>-<content>/      a library of some content; `used` in it says when it was last opened
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from citewhy.base.artifact import clear, temporary_folder
from citewhy.base.config import CACHE_VARIABLE, cache_folder
from citewhy.base.errors import DamagedError, LibraryError, LockedError, StorageError, VersionError
from citewhy.papers.library.store import Library
from citewhy.search.index.local.vectors import CACHE

_USED = "used"

_UNUSED_DAYS = 60.0
"""Days after which a library that nobody opened is removed."""

_REPLACED_DAYS = 1.0
"""The same for one that another content of the same thing has replaced; another process may still have it
open."""

_ABANDONED_DAYS = 1.0
"""The same for what a process left behind that was killed while it made a library."""

_DAY = 86_400.0


class Open(Protocol):
    """Opens the library in a folder, or creates it; `Library.open`, or `Library.over` another one."""

    def __call__(self, folder: Path, create: bool = False) -> Library: ...


def kept_library(
    folder: Path, fill: Callable[[Library], None], what: str, open_library: Open = Library.open
) -> Library:
    """The library in `folder`, which is made by `fill` if it is not there, damaged, or of another layout.

    It is made in a folder aside and renamed, so that it is whole or absent. If several processes make it at
    the same time, all open the one that was first. Every row is checked before it is used. Raises
    StorageError, which calls the library `what`, if it cannot be written.
    """
    unusable = _identity(folder)
    if unusable is not None:
        try:
            return _open_verified(folder, open_library)
        except (DamagedError, VersionError):
            pass
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(folder, fill, open_library, unusable)
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


def _identity(folder: Path) -> tuple[int, int] | None:
    """Tells a folder from another one that has taken its place; None where there is none."""
    try:
        status = folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _make(
    folder: Path, fill: Callable[[Library], None], open_library: Open, unusable: tuple[int, int] | None
) -> None:
    """Replaces the folder that is `unusable`; never one that another process has made since."""
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        (aside / "new").mkdir(mode=0o700)
        with open_library(aside / "new", create=True) as library:
            fill(library)
        if unusable is not None and _identity(folder) == unusable:
            folder.rename(aside / "old")
        (aside / "new").rename(folder)
    except OSError:
        if not folder.exists():  # unless another process was faster
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def cached_library(
    kind: str,
    name: str,
    fill: Callable[[Library], None],
    what: str,
    open_library: Open = Library.open,
    vectors_of: Path | None = None,
) -> Library:
    """Opens the library `name`, whose first part until ``-`` it shares with other contents of the same thing,
    in the folder `kind` of the user's cache; it is made as by `kept_library`.

    It takes over the vectors of the library in the folder `vectors_of`, or else those of the content before.
    What is not used for long is removed. Where the cache cannot be written, the library is in a temporary
    folder that is removed with it.
    """
    root = cache_folder() / kind
    folder = root / name
    before = vectors_of or _newest(root, folder)

    def filled(library: Library) -> None:
        fill(library)
        if before is not None:
            _copy_vectors(before, library.folder)

    made = not folder.exists()
    try:
        library = kept_library(folder, filled, what, open_library)
        _set_used(folder)
    except StorageError:
        held = contextlib.ExitStack()
        library = kept_library(held.enter_context(temporary_folder()) / "library", filled, what, open_library)
        weakref.finalize(library, held.close)
        return library
    if made:
        _remove_unused(root, folder)
    return library


def name_for(paths: Iterable[str | Path]) -> str:
    """A name for what lies at some places, the same whatever its content (`cached_library`)."""
    places = "\0".join(str(Path(path).absolute()) for path in paths)
    return hashlib.blake2b(places.encode(errors="surrogatepass"), digest_size=6).hexdigest()


# Contents of one thing ------------------------------------------------------------------------------------


def _newest(root: Path, besides: Path) -> Path | None:
    """Returns the library of another content of the same thing that was last used."""
    others = [folder for folder in _folders(root) if _is_of_same(folder, besides)]
    return max(others, key=_last_used, default=None)


def _is_of_same(one: Path, other: Path) -> bool:
    return one != other and one.name.partition("-")[0] == other.name.partition("-")[0]


def _folders(root: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from root.iterdir()


def _last_used(folder: Path) -> float:
    """Seconds since the epoch."""
    for path in (folder / _USED, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _set_used(folder: Path) -> None:
    with contextlib.suppress(OSError):  # a folder that cannot be written is never removed by this user
        (folder / _USED).touch()
        folder.chmod(0o700)  # those of earlier versions were not private


def _remove_unused(root: Path, kept: Path) -> None:
    """Removes libraries that were not opened for long, sooner those of an earlier content of one thing."""
    now = time.time()
    for folder in _folders(root):
        days = _UNUSED_DAYS
        if _is_of_same(folder, kept):
            days = _REPLACED_DAYS
        elif folder.name.startswith("."):
            days = _ABANDONED_DAYS
        if folder != kept and now - _last_used(folder) > days * _DAY and _was_made_here(folder):
            clear(folder)


def _was_made_here(folder: Path) -> bool:
    """Whether a folder is a library that was opened here, or one that was being made; the folder for caches
    is named by the user, and may have others."""
    made = (_USED,) if not folder.name.startswith(".") else ("new", "old")
    return not folder.is_symlink() and any(os.path.lexists(folder / name) for name in made)


def _copy_vectors(before: Path, folder: Path) -> None:
    """Copies the vectors of texts that were encoded for another content, so that only the rest is."""
    if not (before / CACHE).exists():
        return
    target = folder / CACHE
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            contextlib.closing(
                sqlite3.connect(f"{(before / CACHE).absolute().as_uri()}?mode=ro", uri=True)
            ) as old,
            contextlib.closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
    except sqlite3.Error:  # they are encoded again
        target.unlink(missing_ok=True)
