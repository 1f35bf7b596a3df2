"""Creating a library's file and opening it, with checks that it is a complete library of this version."""

from __future__ import annotations

import os
import secrets
import sqlite3
import zlib
from pathlib import Path

from citewhy.base.artifact import UNFINISHED, require_regular, sync_folder, unfinished_in
from citewhy.base.errors import DamagedError, LibraryError, StorageError, VersionError
from citewhy.papers.library.checked import SUMS_TABLE
from citewhy.papers.library.database import MINIMUM_SQLITE, RESTORE_HINT, Database, connect, typed_errors
from citewhy.papers.library.schema import (
    CITING,
    COMMITS,
    HOLDINGS,
    PAPERS,
    SCHEMA_VERSION,
    STATES,
    TABLES,
    UNKNOWN_SOURCE,
    Citing,
    Commit,
    Holding,
    State,
    read_state,
    tables,
)

__all__ = [
    "APPLICATION_ID",
    "FILE_NAME",
    "SCHEMA_VERSION",
    "complete",
    "open_database",
    "pragma",
    "schema_sum",
]

FILE_NAME = "library.db"
APPLICATION_ID = 0x43695768  # "CiWh"


def open_database(folder: Path, *, create: bool) -> Database:
    """Opens the database of the library in `folder`; if there is none and `create` is true, creates it.

    Only a few pages are read. A folder that is not writable is opened for reading, and so is one on a full
    disk unless `create` is true, as it was when it was opened.
    """
    _require_sqlite()
    path = folder / FILE_NAME
    try:
        if not path.exists():
            if _bytes_of(_journal(path)):
                raise DamagedError(
                    "the library's file is missing, but its journal exists", path=path, hint=RESTORE_HINT
                )
            if not create:
                raise LibraryError(
                    "there is no library in this folder",
                    path=folder,
                    hint="create one with: citewhy add FILE… --library DIR",
                )
            _create(path)
        elif create and (folder / UNFINISHED).exists():
            with unfinished_in(folder):  # removes what a killed process left
                pass
        require_regular(path)
        size = _bytes_of(path)
    except OSError as error:
        raise _refused(error, folder) from error
    if not size:  # a new file is complete when it gets its name, so this one was truncated
        raise DamagedError("the library's file is empty", path=path, hint=RESTORE_HINT)
    try:
        return _recognised(path, "mode=rw")
    except StorageError as error:
        # Reading with a journal requires a shared-memory file. If that cannot be created and there is no
        # journal, nobody is writing, and the file can be read as it is.
        writable = os.access(folder, os.W_OK) and not _no_room_to_share(error)
        if writable or create or _bytes_of(_journal(path)):
            raise
        return _recognised(path, "mode=ro&immutable=1")


def _no_room_to_share(error: StorageError) -> bool:
    """Whether a full disk has no room for the shared-memory file."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_FULL)


def _require_sqlite() -> None:
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        needed = ".".join(map(str, MINIMUM_SQLITE))
        raise LibraryError(
            f"SQLite {needed} or newer is required, found {sqlite3.sqlite_version}",
            hint="upgrade Python, or SQLite on this system",
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
    if pragma(db, "application_id") != APPLICATION_ID:
        raise LibraryError(
            "this SQLite file is not a CiteWhy library",
            path=db.path,
            hint="choose another folder with --library",
        )
    version = pragma(db, "user_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise VersionError(
            f"the library has format version {version}, but this CiteWhy supports only {SCHEMA_VERSION}",
            path=db.path,
            hint="update CiteWhy: pip install -U citewhy",
        )
    if version < 1:
        raise db.damaged(f"invalid format version {version}")
    if read_state(db).schema_sum != schema_sum(db):
        raise db.damaged("its tables have been altered")


def pragma(db: Database, name: str) -> object:
    """The value of a pragma of SQLite; None if it has none."""
    first = db.row(f"PRAGMA {name}")
    return None if first is None else first[0]


def schema_sum(db: Database) -> int:
    """A checksum of all definitions of tables and triggers: an altered trigger would compute wrong sums."""
    texts = [
        str(sql) for (sql,) in db.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    ]
    return zlib.crc32("\n".join(texts).encode())


def complete(db: Database) -> None:
    """Gives a library of an older version the tables that it lacks; of what is in it, no source is known. To
    be called before the `Change`, which keeps the state."""
    known = tables(db)
    missing = [table for table in TABLES if table not in known]
    for table in missing:
        table.create(db)
    if missing:
        STATES.put(db, [read_state(db)._replace(schema_sum=schema_sum(db))])
    if CITING in missing:
        CITING.insert(db, [Citing("", read_state(db).generation)])
    if HOLDINGS in missing:
        HOLDINGS.insert(db, (Holding(UNKNOWN_SOURCE, head.id) for head in PAPERS.all(db, "stored = 1")))


def _create(path: Path) -> None:
    """Creates an empty library among what is unfinished, and renames it when it is complete and synced.

    Two processes may do so at the same time: the second one waits, and uses the library of the first.
    """
    folder = path.parent
    new_folder = not folder.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it may have sentences of the user's own drafts
    with unfinished_in(folder) as unfinished:
        if path.exists():
            return
        aside = unfinished / path.name
        _fill(aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.rename(path)
    sync_folder(folder)
    if new_folder:
        sync_folder(folder.parent)


def _fill(path: Path) -> None:
    with typed_errors(path):
        db = Database(lambda: connect(path, "mode=rwc"), path)
    try:
        if pragma(db, "journal_mode = WAL") != "wal":
            raise StorageError(
                "this file system does not support the write-ahead log of SQLite", path=path.parent
            )
        with db.writing():
            db.run(f"PRAGMA application_id = {APPLICATION_ID}")
            db.run(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.run(SUMS_TABLE)
            for table in TABLES:
                table.create(db)
            STATES.insert(db, [State(1, 0, 1, 1, 1, schema_sum(db))])
            COMMITS.insert(db, [Commit(0, secrets.randbits(62))])
            CITING.insert(db, [Citing("", 0)])
    finally:
        db.close()  # writes everything from the journal to the file


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
        hint="check the path, disk space and permissions",
    )
