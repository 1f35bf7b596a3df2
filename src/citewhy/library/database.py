"""Connections to a library's SQLite file: opening, transactions, and errors that say what to do."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from citewhy.errors import CiteWhyError, DamagedError, LibraryError, LockedError, StorageError

__all__ = ["BUSY_SECONDS", "MINIMUM_SQLITE", "RESTORE_HINT", "Database", "connect", "typed_errors"]

MINIMUM_SQLITE = (3, 22, 0)
"""Reading a database with a journal in a folder that cannot be written came with it."""

BUSY_SECONDS = 30.0
"""A writer waits this long for another one before it gives up with LockedError."""

RESTORE_HINT = "restore it from a copy, or add your files again to a new folder"

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
    """One thread's connection. It is closed when the thread has ended."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.depth = 0
        """Blocks of `reading` or `writing` that the thread is in."""
        self.close = weakref.finalize(self, connection.close)


class Database:
    """A SQLite file whose failures are CiteWhyErrors that name the file.

    Safe for use by many threads: each has a connection of its own, which `connect` makes when the thread
    first asks. Reads made inside `reading` see one state, whatever others commit meanwhile; nested blocks
    belong to the outermost one of their thread. `close` closes the connections of all threads: none of them
    may be asking then.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], path: Path) -> None:
        self.path = path
        self._connect = connect
        self._open = True
        self._own = threading.local()
        self._links: weakref.WeakSet[_Link] = weakref.WeakSet()
        self._lock = threading.Lock()
        self.proved: set[tuple[str, str]] = set()
        """Tables and columns whose lookups were proved since then (`checked.Table.prove_lookups`)."""
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
            # No `yield from`: where a reader stops early, it would close the cursor of a closed database.
            for row in self._connection.execute(sql, values):  # noqa: UP028
                yield row

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row of the answer; None where there is none."""
        with typed_errors(self.path):
            found: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return found

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        with typed_errors(self.path):
            self._connection.execute(sql, values)

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with typed_errors(self.path):
            self._connection.executemany(sql, rows)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the library for every read in the block."""
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
    def writing(self) -> Iterator[None]:
        """Everything in the block is committed and synced at its end, or, after an error, not there at all.

        Raises LockedError where another process writes for longer than `BUSY_SECONDS`.
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
            self.run("COMMIT")
        except BaseException:
            with contextlib.suppress(CiteWhyError):  # SQLite has already rolled back after some errors
                if link.connection.in_transaction:
                    self.run("ROLLBACK")
            raise
        finally:
            link.depth = 0

    def check(self) -> None:
        """SQLite's own check of the whole file. Raises DamagedError."""
        for (finding,) in self.rows("PRAGMA integrity_check"):
            if finding != "ok":
                raise self.damaged(" ".join(str(finding).split()))

    def damaged(self, finding: str) -> DamagedError:
        return DamagedError(f"the stored papers are damaged ({finding})", path=self.path, hint=RESTORE_HINT)


def connect(path: Path, parameters: str) -> sqlite3.Connection:
    """A connection as every library uses it. `parameters` is the query part of SQLite's file address."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{parameters}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # `Database` gives each thread its own, and closes them all
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
    """Turns what sqlite3 raises into LockedError, StorageError or DamagedError."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a mistake in the calling code, not of the file
    except sqlite3.Error as error:
        raise _typed(error, path) from error
    except UnicodeDecodeError as error:  # Python cannot even read SQLite's message about a damaged schema
        raise DamagedError("the stored papers are damaged", path=path, hint=RESTORE_HINT) from error


def _typed(error: sqlite3.Error, path: Path) -> CiteWhyError:
    code = getattr(error, "sqlite_errorcode", None)  # absent where Python, not SQLite, complains
    kind = None if code is None else code & 0xFF
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError(
            "another process is writing to the library",
            path=path,
            hint="wait until it is done, then try again",
        )
    if kind in _STORAGE_CODES and code not in _DAMAGE_CODES:
        return StorageError(
            f"the system refused: {error}",
            path=path,
            hint="check space, permissions and open files; what was committed before is safe",
        )
    return DamagedError(f"the stored papers are damaged ({error})", path=path, hint=RESTORE_HINT)
