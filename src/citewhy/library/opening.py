"""How a library's file comes to be, and how it is opened: whole and recognised, or refused with a reason."""

from __future__ import annotations

import os
import secrets
import sqlite3
import zlib
from pathlib import Path

from citewhy.artifact import sync_folder
from citewhy.errors import DamagedError, LibraryError, StorageError, VersionError
from citewhy.library.checked import SUMS_TABLE
from citewhy.library.database import MINIMUM_SQLITE, RESTORE_HINT, Database, connect, typed_errors
from citewhy.library.schema import COMMITS, STATES, TABLES, Commit, State, read_state

__all__ = ["APPLICATION_ID", "FILE_NAME", "SCHEMA_VERSION", "open_database"]

FILE_NAME = "library.db"
APPLICATION_ID = 0x43695768  # "CiWh"
SCHEMA_VERSION = 1


def open_database(folder: Path, *, create: bool) -> Database:
    """The database of the library in `folder`, made first where there is none and `create` allows it.

    Nothing is read but a few pages. A folder that cannot be written to is opened for reading.
    """
    _require_sqlite()
    path = folder / FILE_NAME
    try:
        if not path.exists():
            if _bytes_of(_journal(path)):
                raise DamagedError(
                    "the library's file is gone, its journal is there", path=path, hint=RESTORE_HINT
                )
            if not create:
                raise LibraryError(
                    "there is no library here",
                    path=folder,
                    hint="make one with: citewhy add FILE… --library DIR",
                )
            _create(path)
        size = _bytes_of(path)
    except OSError as error:
        raise _refused(error, folder) from error
    if not size:  # a new file gets its name when it is finished, so this one was cut
        raise DamagedError("the library's file is empty", path=path, hint=RESTORE_HINT)
    try:
        return _recognised(path, "mode=rw")
    except StorageError:
        # Reading with a journal needs a file of shared memory beside it. Where that cannot be made and there
        # is no journal, nobody writes, and the file can be read as it is.
        if os.access(folder, os.W_OK) or _bytes_of(_journal(path)):
            raise
        return _recognised(path, "mode=ro&immutable=1")


def _require_sqlite() -> None:
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        needed = ".".join(map(str, MINIMUM_SQLITE))
        raise LibraryError(
            f"SQLite is {sqlite3.sqlite_version}, {needed} or newer is needed",
            hint="use a newer Python, or a newer system SQLite",
        )


def _recognised(path: Path, parameters: str) -> Database:
    with typed_errors(path):
        db = Database(lambda: connect(path, parameters), path)
    try:
        with db.reading():
            _recognise(db)
    except BaseException:
        db.close()
        raise
    return db


def _recognise(db: Database) -> None:
    """Raises LibraryError, VersionError or DamagedError unless the file is a library of this version."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise LibraryError(
            "this SQLite file is not a CiteWhy library",
            path=db.path,
            hint="name another folder with --library",
        )
    version = _pragma(db, "user_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise VersionError(
            f"the library has layout {version}, this CiteWhy knows {SCHEMA_VERSION}",
            path=db.path,
            hint="update CiteWhy: pip install -U citewhy",
        )
    if version < 1:
        raise db.damaged(f"layout {version} never existed")
    if read_state(db).schema_sum != _schema_sum(db):
        raise db.damaged("its tables are not as they were made")


def _pragma(db: Database, name: str) -> object:
    found = db.row(f"PRAGMA {name}")
    return None if found is None else found[0]


def _schema_sum(db: Database) -> int:
    """Over the text of all tables and triggers: a changed trigger would keep wrong sums."""
    texts = [
        str(sql) for (sql,) in db.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    ]
    return zlib.crc32("\n".join(texts).encode())


def _create(path: Path) -> None:
    """Makes an empty library aside and gives it its name when it is finished and synced.

    Two processes may do so at once: the second finds the name taken, and uses what is there.
    """
    folder = path.parent
    new_folder = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f".{path.name}.{secrets.token_hex(8)}"
    try:
        _fill(aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        _name(aside, path)
    finally:
        for leftover in (aside, _journal(aside), Path(f"{aside}-shm")):
            leftover.unlink(missing_ok=True)
    sync_folder(folder)
    if new_folder:
        sync_folder(folder.parent)


def _name(aside: Path, path: Path) -> None:
    try:
        path.hardlink_to(aside)  # unlike a rename, it never replaces a library that another process just made
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            aside.rename(path)


def _fill(path: Path) -> None:
    with typed_errors(path):
        db = Database(lambda: connect(path, "mode=rwc"), path)
    try:
        if _pragma(db, "journal_mode = WAL") != "wal":
            raise StorageError("this file system cannot hold a library (no WAL)", path=path.parent)
        with db.writing():
            db.run(f"PRAGMA application_id = {APPLICATION_ID}")
            db.run(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.run(SUMS_TABLE)
            for table in TABLES:
                table.create(db)
            STATES.insert(db, [State(1, 0, 1, 1, 1, _schema_sum(db))])
            COMMITS.insert(db, [Commit(0, secrets.randbits(62))])
    finally:
        db.close()  # moves everything from the journal into the file


def _journal(path: Path) -> Path:
    return Path(f"{path}-wal")


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _refused(error: OSError, folder: Path) -> StorageError:
    return StorageError(
        f"cannot use this folder: {error.strerror or error}",
        path=folder,
        hint="check the path, space and permissions",
    )
