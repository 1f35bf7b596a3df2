"""Atomic writes of files and folders: written under a temporary name, synced, renamed; the manifest last."""

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
"""Written last: a folder without it is incomplete."""

LOCK = ".lock"
"""Held by the process that writes to a folder (`one_writer`)."""

_BLOCK = 1 << 20


def checksum(path: Path) -> int:
    """CRC-32 of a file's bytes. It detects corruption and incomplete writes, but not forgery."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value


def sync_folder(folder: Path) -> None:
    """Makes renames in `folder` durable: they survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def replace_file(path: Path, content: bytes) -> None:
    """Replaces the content of `path` atomically, keeping its permissions. Raises StorageError."""
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
            hint="check disk space and permissions; the file is unchanged",
        ) from error


@contextlib.contextmanager
def folder_aside(target: Path) -> Iterator[Path]:
    """A temporary folder to fill; it replaces `target` when the block ends without an error.

    Every file in it is synced before the rename. Call `write_manifest` at the end of the block.
    Raises StorageError.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.parent / f".{target.name}.{secrets.token_hex(8)}"
        aside.mkdir()  # with normal permissions, unlike mkdtemp: others may read it
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
            f"cannot write: {error.strerror or error}", path=target, hint="check disk space and permissions"
        ) from error


@contextlib.contextmanager
def one_writer(folder: Path, failure: str) -> Iterator[None]:
    """Holds a lock so that one process at a time writes to `folder`, which is created if needed; others wait.

    For data derived from a library. Raises StorageError, whose problem starts with `failure`, for any OSError
    in the block or while locking.
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
            hint="check disk space and permissions; the library itself is intact",
        ) from error


def write_manifest(
    folder: Path, facts: Mapping[str, Any], of_files: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Writes `facts`, and the size and checksum of every file in `folder`, with further facts about files by
    their names in `of_files`."""
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
    """The manifest of a complete folder.

    Raises DamagedError if the folder is incomplete, if a file is missing or differs from what was written, or
    if the manifest names anything but regular files in this folder.
    """
    try:
        manifest = orjson.loads((folder / MANIFEST).read_bytes())
        for name, fact in manifest["files"].items():
            _check_file(folder, name, fact["bytes"], fact["crc32"] if verify else None)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(
            f"the manifest is missing or incomplete ({type(error).__name__})", path=folder / MANIFEST
        ) from error
    return dict(manifest)


def _check_file(folder: Path, name: str, size: int, crc32: int | None) -> None:
    """Looks at nothing outside `folder`: the manifest may come from anywhere."""
    if Path(name).name != name or "\\" in name or name in ("..", MANIFEST):
        raise DamagedError(f"the manifest lists {name!r}, expected file names", path=folder / MANIFEST)
    file = folder / name
    try:
        found = file.lstat()
    except FileNotFoundError as error:
        raise DamagedError("a file listed in the manifest is missing", path=file) from error
    if not stat.S_ISREG(found.st_mode):
        raise DamagedError("listed in the manifest, but not a regular file", path=file)
    if found.st_size != size or (crc32 is not None and checksum(file) != crc32):
        raise DamagedError("the file has changed since it was written", path=file)
