"""Folders and files on disk that are whole or not there: written aside, synced, renamed; manifest last."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from citewhy.errors import DamagedError, StorageError

__all__ = [
    "LOCK",
    "MANIFEST",
    "checksum",
    "folder_aside",
    "one_writer",
    "read_manifest",
    "replace_file",
    "sync_folder",
    "write_manifest",
]

MANIFEST = "manifest.json"
"""Written last: a folder without it was never finished."""

LOCK = ".lock"
"""Is held by whoever writes in a folder (`one_writer`)."""

_BLOCK = 1 << 20


def checksum(path: Path) -> int:
    """CRC-32 of a file's bytes: it finds bit rot and torn writes; it is no defence against forgery."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value


def sync_folder(folder: Path) -> None:
    """Makes renames inside `folder` last: after a power cut they are there."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def replace_file(path: Path, content: bytes) -> None:
    """Replaces `path` by `content` in one step, keeping its permissions. Raises StorageError."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        aside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, aside)
            else:
                aside.chmod(0o644)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(
            f"cannot write: {error.strerror or error}",
            path=path,
            hint="check space and permissions; the file is as it was",
        ) from error


@contextlib.contextmanager
def folder_aside(target: Path) -> Iterator[Path]:
    """A folder to fill; when the block ends without an error it becomes `target`, replacing what was there.

    Every file in it is synced before the rename. `write_manifest` belongs at the end of the block.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.parent / f".{target.name}.{secrets.token_hex(8)}"
        aside.mkdir()  # with the permissions of any folder, unlike mkdtemp: others may read it
        try:
            yield aside
            for file in aside.iterdir():
                _sync_file(file)
            sync_folder(aside)
            if target.exists():
                shutil.rmtree(target)
            aside.replace(target)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        sync_folder(target.parent)
    except OSError as error:
        raise StorageError(
            f"cannot write: {error.strerror or error}", path=target, hint="check space and permissions"
        ) from error


@contextlib.contextmanager
def one_writer(folder: Path, failure: str) -> Iterator[None]:
    """One process at a time writes in `folder`, which is made where it is not there; others wait.

    Raises StorageError, which begins with `failure`, where the block or the lock meets an OSError. What is
    written so is derived from a library, which stays whole.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise StorageError(
            f"{failure}: {error.strerror or error}",
            path=folder,
            hint="check space and permissions; the library itself is whole",
        ) from error


def write_manifest(
    folder: Path, facts: Mapping[str, Any], of_files: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Writes `facts` and the size and checksum of every file that is in `folder` now, with what `of_files`
    adds to a file by its name."""
    files = {
        file.name: {
            "bytes": file.stat().st_size,
            "crc32": checksum(file),
            **(of_files or {}).get(file.name, {}),
        }
        for file in sorted(folder.iterdir())
        if file.name != MANIFEST
    }
    (folder / MANIFEST).write_bytes(orjson.dumps({**facts, "files": files}, option=orjson.OPT_INDENT_2))


def read_manifest(folder: Path, *, verify: bool = True) -> dict[str, Any]:
    """The facts of a finished folder. Raises DamagedError if it is unfinished, if a file is missing or not as
    it was written, or if the manifest names anything but regular files of this folder."""
    try:
        manifest = orjson.loads((folder / MANIFEST).read_bytes())
        for name, fact in manifest["files"].items():
            _check_file(folder, name, fact["bytes"], fact["crc32"] if verify else None)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(
            f"no complete manifest ({type(error).__name__})", path=folder / MANIFEST
        ) from error
    return dict(manifest)


def _check_file(folder: Path, name: str, size: int, crc32: int | None) -> None:
    """Looks at nothing outside of `folder`: a manifest may come from anywhere."""
    if Path(name).name != name or "\\" in name or name in ("..", MANIFEST):
        raise DamagedError(f"the manifest lists {name!r}, expected names of files", path=folder / MANIFEST)
    file = folder / name
    try:
        found = file.lstat()
    except FileNotFoundError as error:
        raise DamagedError("a file that the manifest lists is missing", path=file) from error
    if not stat.S_ISREG(found.st_mode):
        raise DamagedError("the manifest lists what is not a regular file", path=file)
    if found.st_size != size or (crc32 is not None and checksum(file) != crc32):
        raise DamagedError("a file is not as it was written", path=file)
