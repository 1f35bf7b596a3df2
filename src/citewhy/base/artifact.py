"""Atomic writes of files and folders: written under a temporary name, synced, renamed; the manifest last."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from citewhy.base.errors import DamagedError, LockedError, StorageError
from citewhy.base.printable import printable_json

MANIFEST = "manifest.json"
"""Written last: a folder without it is incomplete."""

LOCK = ".lock"
"""Held by the process that writes to a folder (`one_writer`)."""

LOCK_SECONDS = 30.0
"""How long a process waits for another one that writes to the same folder before LockedError is raised."""

_POLL_SECONDS = 0.02

BLOCK = 1 << 14
"""Bytes of a file that have a checksum of their own in the manifest, if the file is large."""

_READ = 1 << 20

LARGE = 1 << 25
"""Bytes from which a file is large: to verify less takes ten milliseconds."""

UNFINISHED = ".citewhy-unfinished"
"""The folder, in one that is written to, of files and folders that are not finished. It is known by its name,
so that nothing is ever removed for a name that a user's file might have, too."""

_OF_EARLIER_VERSIONS = ("current.json", "cache.sqlite")
"""Files by which a folder of CiteWhy's own is known that has lost its lock file, or never had one."""


def require_regular(path: Path) -> None:
    """Raises OSError unless `path` is a regular file: opening a named pipe waits until somebody writes to it,
    and a device may never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_file(path: Path) -> bytes:
    """The content of a regular file. Raises OSError."""
    require_regular(path)
    return path.read_bytes()


def read_unlinked(path: Path, most: int | None = None) -> bytes:
    """The content of a regular file that is no link, of at most `most` bytes. Raises OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if most is not None and status.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
        return file.read()


def open_lock(path: Path, *, follow: bool = True, mode: int = 0o666) -> BinaryIO:
    """Opens a lock file, which is created if needed, with the permissions `mode`. Raises OSError, also if it
    is not a regular file, or a link that it should not `follow`."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    handle = os.open(path, flags, mode)
    try:
        require_regular(path)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb+", buffering=0)


def checksum(path: Path) -> int:
    """CRC-32 of a file's bytes. It detects corruption and incomplete writes, but not forgery."""
    value = 0
    for block in _blocks(path, _READ):
        value = zlib.crc32(block, value)
    return value


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(size):
            yield block


def _sums(path: Path) -> dict[str, Any]:
    """What a manifest says of a file: size, checksum and, of a large file, those of its blocks."""
    size = path.stat().st_size
    fact: dict[str, Any] = {"bytes": size, "crc32": checksum(path)}
    if size >= LARGE:
        fact["blocks"] = b"".join(
            zlib.crc32(block).to_bytes(4, "big") for block in _blocks(path, BLOCK)
        ).hex()
    return fact


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


def name_aside(target: Path) -> Path:
    """A temporary name for `target`: in the folder of what is unfinished if that is there (`unfinished_in`),
    or else beside `target`."""
    folder = target.parent / UNFINISHED
    name = f".{target.name}.{secrets.token_hex(8)}"
    return folder / name if folder.is_dir() and not folder.is_symlink() else target.parent / name


def clear(path: Path) -> None:
    """Removes a folder or file of CiteWhy's own, or what lies in its place; a link is not followed."""
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:  # which `rmtree` would open, and wait at a named pipe
            path.unlink()


@contextlib.contextmanager
def unfinished_in(folder: Path) -> Iterator[Path]:
    """An empty folder in `folder` for what is not finished: what a killed process left there is removed. A
    lock of `folder` is held until the block ends. Raises OSError, and LockedError as `one_writer`."""
    with _locked_folder(folder.resolve()), _unfinished(folder) as aside:
        yield aside


@contextlib.contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    aside = folder / UNFINISHED
    clear(aside)
    aside.mkdir(mode=0o700)
    try:
        yield aside
    finally:
        clear(aside)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A private folder among the system's temporary files, removed at the end of the block, or, if the
    process is killed, by the next one that makes one: it is locked as long as its process lives.
    Raises OSError."""
    root = Path(tempfile.gettempdir()) / f"citewhy-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        root.mkdir(mode=0o700)
    status = root.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        with tempfile.TemporaryDirectory(prefix="citewhy-", ignore_cleanup_errors=True) as name:
            yield Path(name)  # everybody may make files there, and somebody made this one
        return
    with _locked_folder(root):
        for left in root.iterdir():
            with contextlib.suppress(OSError), _locked_folder(left, wait=False):
                clear(left)
        folder = Path(tempfile.mkdtemp(dir=root))
        lock = contextlib.ExitStack()
        lock.enter_context(_locked_folder(folder))
    with lock:
        try:
            yield folder
        finally:
            clear(folder)


@contextlib.contextmanager
def _locked_folder(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds a lock of a folder, not of a link to one. Raises LockedError; OSError if it does not `wait`."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if wait:
            _acquire(handle, folder)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def is_own(folder: Path) -> bool:
    """Whether CiteWhy made a folder, and may remove what is in it: no link, and known by its lock file."""
    return not folder.is_symlink() and any(
        os.path.lexists(folder / name) for name in (LOCK, *_OF_EARLIER_VERSIONS)
    )


def claim(folder: Path) -> None:
    """Makes a folder CiteWhy's own: it is created if it is missing. A link in its place is removed.

    Raises StorageError if there is a file, or a folder with something that CiteWhy did not make; OSError.
    """
    if folder.is_symlink():
        folder.unlink()
    is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    # Asked after that: another process may just be making it, and the lock is what it writes first.
    if is_own(folder):
        return
    if not is_free:
        raise StorageError(
            "CiteWhy needs a folder of this name, and this is not one that it made",
            path=folder,
            hint="move it, or choose another folder with --library; it is unchanged",
        )
    folder.mkdir(parents=True, exist_ok=True)
    open_lock(folder / LOCK).close()


def replace_file(path: Path, content: bytes, aside: Path | None = None) -> None:
    """Replaces the content of `path` atomically, keeping its permissions and, where the system allows it, its
    owner. `aside` is the temporary name, in the same folder, of the new file. Raises StorageError."""
    try:
        aside = aside or name_aside(path)
        try:
            with aside.open("xb") as file:
                _like(path, aside)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(
            f"cannot write: {error.strerror or error}",
            path=path,
            hint="check disk space and permissions; the file is unchanged",
        ) from error
    try:
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(
            f"the new content is in place, but not durable: {error.strerror or error}",
            path=path,
            hint="check the disk; it may be lost if the power fails",
        ) from error


def _like(path: Path, aside: Path) -> None:
    """Gives `aside` the owner and the permissions of `path`, if that exists."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    made = aside.stat()
    if (status.st_uid, status.st_gid) != (made.st_uid, made.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(aside, status.st_uid, status.st_gid)
    aside.chmod(stat.S_IMODE(status.st_mode))


@contextlib.contextmanager
def folder_aside(target: Path, aside: Path | None = None) -> Iterator[Path]:
    """A temporary folder to fill, called `aside` if that is given; it replaces `target` when the block ends
    without an error.

    Every file in it is synced before the rename. Call `write_manifest` at the end of the block.
    Raises StorageError.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = aside or name_aside(target)
        aside.mkdir()  # with normal permissions, unlike mkdtemp: others may read it
        try:
            yield aside
            for file in aside.iterdir():
                _sync_file(file)
            sync_folder(aside)
            clear(target)
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
    """Holds a lock so that one process at a time writes to `folder`, which becomes CiteWhy's own (`claim`).

    For data derived from a library. Raises LockedError if another process holds the lock for longer than
    `LOCK_SECONDS`, and StorageError, whose problem starts with `failure`, for any OSError in the block or
    while locking, and what `claim` raises.
    """
    try:
        claim(folder)
        with open_lock(folder / LOCK) as lock:
            _acquire(lock.fileno(), folder)
            with _unfinished(folder):
                yield
    except OSError as error:
        raise StorageError(
            f"{failure}: {error.strerror or error}",
            path=folder,
            hint="check disk space and permissions; what was committed to the library is safe",
        ) from error


def _acquire(handle: int, folder: Path) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise LockedError(
                    "another process is updating this folder",
                    path=folder,
                    hint="what was committed to the library is safe; wait until it has finished, or end it, "
                    "and try again",
                ) from error
        time.sleep(_POLL_SECONDS)


def write_manifest(
    folder: Path, facts: Mapping[str, Any], of_files: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Writes `facts`, and the size and checksum of every file in `folder`, with further facts about files by
    their names in `of_files`."""
    files = {
        file.name: {
            **_sums(file),
            **(of_files or {}).get(file.name, {}),
        }
        for file in sorted(folder.iterdir())
        if file.name != MANIFEST
    }
    (folder / MANIFEST).write_bytes(printable_json({**facts, "files": files}))


def read_manifest(folder: Path, *, verify: bool = True, later: Container[str] = ()) -> dict[str, Any]:
    """The manifest of a complete folder. Large files in `later` are not verified, if their blocks have
    checksums, with which what is read of them has to be compared.

    Raises DamagedError if the folder is incomplete, if a file is missing or differs from what was written, or
    if the manifest names anything but regular files in this folder.
    """
    try:
        manifest = orjson.loads(read_file(folder / MANIFEST))
        for name, fact in manifest["files"].items():
            now = verify and not (name in later and "blocks" in fact)
            _check_file(folder, name, fact["bytes"], fact["crc32"] if now else None)
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
        status = file.lstat()
    except FileNotFoundError as error:
        raise DamagedError("a file listed in the manifest is missing", path=file) from error
    if not stat.S_ISREG(status.st_mode):
        raise DamagedError("listed in the manifest, but not a regular file", path=file)
    if status.st_size != size or (crc32 is not None and checksum(file) != crc32):
        raise DamagedError("the file has changed since it was written", path=file)
