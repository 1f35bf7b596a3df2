"""The folder ``.citewhy`` beside a draft, and the seal that tells a user's own journals from those of others.

Whoever sends a project may send such a folder with it. So no link in it is followed, and what it says counts
only with a seal: a keyed hash, whose key is in the user's data folder. A project may be moved, copied and
renamed with its journals; on another computer, or for another user, they are somebody else's.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from citewhy.base.artifact import open_lock, read_unlinked, sync_folder
from citewhy.base.config import data_folder
from citewhy.base.errors import DamagedError, EditConflictError, StorageError

FOLDER = ".citewhy"
UNDO = "undo"

_KEY = "undo.key"
_KEY_BYTES = 32
_MOST_FACTS = 1 << 22
"""Bytes of a sealed file; one of an edit of a thousand files has a tenth of them."""


@contextlib.contextmanager
def locked(draft: Path) -> Iterator[Path]:
    """The folder for journals beside a draft, made if needed, with a lock held, so that one process at a time
    edits a folder's drafts. It is readable by its owner alone, as it has copies of the draft.

    Raises EditConflictError if another process holds the lock, StorageError, also if a link lies there.
    """
    folder = draft.parent / FOLDER
    try:
        handle = _opened(folder)
        try:
            if stat.S_IMODE(os.fstat(handle).st_mode) & 0o077:
                os.fchmod(handle, 0o700)
            _ignored_by_git(handle)
            lock = open_lock(folder / "lock", follow=False)
        finally:
            os.close(handle)
    except OSError as error:
        raise _not_usable(error, folder) from error
    with lock:
        try:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise EditConflictError(
                "another process is editing this draft", path=draft, hint="try again"
            ) from error
        try:
            os.close(_opened(folder / UNDO))
        except OSError as error:
            raise _not_usable(error, folder / UNDO) from error
        yield folder / UNDO


def exists(draft: Path) -> bool:
    """Whether anything lies where the journals of a draft are; it may be anything."""
    return os.path.lexists(draft.parent / FOLDER)


def _opened(folder: Path) -> int:
    """A handle of a folder that is no link; it is made if it is missing. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    sync_folder(folder.parent)  # a process that made it may have been killed before it did this
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _ignored_by_git(folder: int) -> None:
    """Journals do not belong under version control."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with (
        contextlib.suppress(FileExistsError),
        os.fdopen(os.open(".gitignore", flags, 0o600, dir_fd=folder), "wb") as file,
    ):
        file.write(b"*\n")


def _not_usable(error: OSError, folder: Path) -> StorageError:
    if folder.is_symlink():
        return StorageError(
            "a link lies where the undo journal should be, and is not followed",
            path=folder,
            hint="remove it; nothing was changed",
        )
    return StorageError(
        f"cannot write the undo journal: {error.strerror or error}",
        path=folder,
        hint="check disk space and permissions; nothing was changed",
    )


# The seal -------------------------------------------------------------------------------------------------


def write_sealed(path: Path, facts: Mapping[str, Any]) -> None:
    """Writes facts with the user's seal. Raises StorageError if the user's key cannot be kept, OSError."""
    path.write_text(json.dumps({"facts": facts, "seal": _seal(facts)}, indent=2), encoding="ascii")


def read_sealed(path: Path) -> dict[str, Any]:
    """The facts in a file. Raises DamagedError unless they have the user's seal."""
    try:
        document = json.loads(read_unlinked(path, _MOST_FACTS))
        facts, seal = document["facts"], document["seal"]
        if isinstance(facts, dict) and hmac.compare_digest(str(seal).encode(), _seal(facts).encode()):
            return facts
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(f"cannot be read ({type(error).__name__})", path=path) from error
    raise DamagedError("it has not your seal", path=path)


def _seal(facts: Mapping[str, Any]) -> str:
    body = json.dumps(facts, sort_keys=True).encode()
    return hmac.new(_key(), body, hashlib.sha256).hexdigest()


def _key() -> bytes:
    """The user's key, made when it is first needed. Nothing can have been sealed with a key that is cut."""
    path = data_folder() / _KEY
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_lock(path, mode=0o600) as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            key = file.read(_KEY_BYTES + 1) or b""
            if len(key) < _KEY_BYTES:
                key = secrets.token_bytes(_KEY_BYTES)
                file.seek(0)
                file.write(key)
                os.fsync(file.fileno())
                for folder in path.parents:  # any of them may be new
                    with contextlib.suppress(OSError):
                        sync_folder(folder)
        return key
    except OSError as error:
        raise StorageError(
            f"cannot keep the key by which your undo journals are known: {error.strerror or error}",
            path=path,
            hint="make the folder writable, or set XDG_DATA_HOME to one that is; nothing was changed",
        ) from error
