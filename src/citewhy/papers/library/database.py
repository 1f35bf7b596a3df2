"""Connections to the SQLite file of a library: transactions, threads, and errors."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from citewhy.base.errors import CiteWhyError, DamagedError, LibraryError, LockedError, StorageError

__all__ = [
    "BUSY_SECONDS",
    "MINIMUM_SQLITE",
    "RESTORE_HINT",
    "Database",
    "connect",
    "typed_errors",
]

MINIMUM_SQLITE = (3, 22, 0)
"""The first version that can read a database with a journal in a read-only folder."""

BUSY_SECONDS = 30.0
"""How long a writer waits for another one before LockedError is raised."""

RESTORE_HINT = "restore it from a backup, or add your files to a new library"

_STORAGE_CODES = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_DAMAGE_CODES = {sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS}


class _Link:
    """The connection of one thread. It is closed after the thread has ended."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.depth = 0
        """Number of nested `reading` or `writing` blocks that the thread is in."""
        self.close = weakref.finalize(self, connection.close)


class Database:
    """A SQLite file. Its errors are CiteWhyErrors that name the file.

    Thread-safe: each thread has its own connection, which `connect` opens when the thread first needs it.
    Reads in a `reading` block see the same state, whatever others commit in the meantime; nested blocks are
    part of the outermost one. `close` closes the connections of all threads, none of which may be in use.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], path: Path) -> None:
        self.path = path
        self._connect = connect
        self._open = True
        self._own = threading.local()
        self._links: weakref.WeakSet[_Link] = weakref.WeakSet()
        self._lock = threading.Lock()
        self.verified: set[tuple[str, str]] = set()
        """Tables and columns whose lookups have been verified (`checked.Table.verify_lookups`)."""
        self._own.link = self._linked()

    def close(self) -> None:
        with self._lock:
            self._open = False
            links = list(self._links)
        for link in links:
            link.close()

    @property
    def _link(self) -> _Link:
        link: _Link | None = getattr(self._own, "link", None)
        if link is None:
            link = self._own.link = self._linked()
        return link

    def _linked(self) -> _Link:
        with self._lock:
            if not self._open:
                raise sqlite3.ProgrammingError("Cannot operate on a closed database.")
            link = _Link(self._connect())
            self._links.add(link)
        return link

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._link.connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with typed_errors(self.path):
            # Not `yield from`: if the caller stops early, it would close the cursor of a closed database.
            for row in self._connection.execute(sql, values):  # noqa: UP028
                yield row

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row of the result; None if there is none."""
        with typed_errors(self.path):
            first: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return first

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        with typed_errors(self.path):
            self._connection.execute(sql, values)

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with typed_errors(self.path):
            self._connection.executemany(sql, rows)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All reads in the block see the same state."""
        with typed_errors(self.path):
            link = self._link
        if link.depth == 0:
            self.run("BEGIN")
        link.depth += 1
        try:
            yield
        finally:
            link.depth -= 1
            if link.depth == 0 and self._open and link.connection.in_transaction:
                self.run("COMMIT")

    @contextlib.contextmanager
    def writing(self, *, keep: bool = True) -> Iterator[None]:
        """Commits and syncs everything in the block at its end; after an error, and unless `keep`, everything
        is rolled back. If nobody is reading, the journal is then empty.

        Raises LockedError if another process writes for longer than `BUSY_SECONDS`.
        """
        with typed_errors(self.path):
            link = self._link
        if link.depth:
            raise LibraryError(
                "the library is being read", path=self.path, hint="finish reading before writing"
            )
        self.run("BEGIN IMMEDIATE")
        link.depth = 1
        try:
            yield
            self.run("COMMIT" if keep else "ROLLBACK")
            self._checkpoint()
        except BaseException:
            with contextlib.suppress(CiteWhyError):  # SQLite has already rolled back after some errors
                if link.connection.in_transaction:
                    self.run("ROLLBACK")
            raise
        finally:
            link.depth = 0

    def _checkpoint(self) -> None:
        """Moves the commit from the journal into the file, unless another process is reading or writing at
        this moment: a journal that is damaged later then has nothing to lose."""
        with contextlib.suppress(CiteWhyError):  # what is committed is safe, in the journal, too
            self.run("PRAGMA busy_timeout = 0")
            try:
                self.row("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self.run(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")

    def check(self) -> None:
        """Runs SQLite's integrity check on the whole file. Raises DamagedError."""
        for (finding,) in self.rows("PRAGMA integrity_check"):
            if finding != "ok":
                raise self.damaged(" ".join(str(finding).split()))

    def damaged(self, finding: str) -> DamagedError:
        return DamagedError(f"the library is damaged ({finding})", path=self.path, hint=RESTORE_HINT)


def connect(path: Path, parameters: str) -> sqlite3.Connection:
    """Opens a connection for a library. `parameters` is the query part of the file's URI."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{parameters}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # each thread has its own, but `Database` closes them all
    )
    connection.executescript(
        """
        PRAGMA synchronous = FULL;
        PRAGMA fullfsync = ON;
        PRAGMA checkpoint_fullfsync = ON;
        PRAGMA cell_size_check = ON;
        PRAGMA trusted_schema = OFF;
        """
    )
    return connection


@contextlib.contextmanager
def typed_errors(path: Path) -> Iterator[None]:
    """Converts errors of sqlite3 to LockedError, StorageError or DamagedError."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # an error in the calling code, not in the file
    except sqlite3.Error as error:
        raise _typed(error, path) from error
    except UnicodeDecodeError as error:  # SQLite's message about a damaged schema may not be valid UTF-8
        raise DamagedError("the library is damaged", path=path, hint=RESTORE_HINT) from error


def _typed(error: sqlite3.Error, path: Path) -> CiteWhyError:
    code = getattr(error, "sqlite_errorcode", None)  # absent if Python, not SQLite, raised the error
    kind = None if code is None else code & 0xFF
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError(
            "another process is writing to the library",
            path=path,
            hint="wait until it has finished and try again",
        )
    if kind in _STORAGE_CODES and code not in _DAMAGE_CODES:
        return StorageError(
            f"cannot access the library: {error}",
            path=path,
            hint="check disk space, permissions and open files; what was committed before is safe",
        )
    return DamagedError(f"the library is damaged ({error})", path=path, hint=RESTORE_HINT)
