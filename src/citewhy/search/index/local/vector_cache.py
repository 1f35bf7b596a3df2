"""A cache of vectors by text, since encoding is the slowest operation on a library.

A key is a hash of the text, its kind and the encoder: a paper that is renamed, merged or added again is not
encoded twice, and vectors of different encoders are never confused. A row ends with a checksum of its key
and vector: SQLite has none, and a flipped bit in a vector would change the ranking of every query. The cache
can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import claim, require_regular
from citewhy.base.errors import DamagedError, StorageError
from citewhy.search.encode.encoder import TextKind

_FEW = 500
"""Number of keys in one SQL statement."""

_SEAL = 4
"""Bytes of the checksum after a vector."""

_LOCK_TIMEOUT = 30.0
"""Seconds to wait for another process that is writing."""

_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
"""Codes of errors that mean that the file is not a cache, including a table with that name and other
columns."""


def vector_key(text: str, fingerprint: str, kind: TextKind = "paper") -> bytes:
    """[16] bytes."""
    salt = fingerprint if kind == "paper" else f"{fingerprint} {kind}"
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16, key=salt.encode()).digest()


class VectorCache:
    """The cache in the file `path`, which is created if it is missing, and replaced if it is not a cache.
    Raises StorageError if it cannot be written."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self._path = path
        self._bytes = 2 * dimensions
        try:
            claim(path.parent)
            if path.exists():
                require_regular(path)
            try:
                self._db = _opened(path)
            except sqlite3.Error as error:
                self._db = _begun_anew(path, error)
        except (OSError, sqlite3.Error) as error:
            raise _refused(path, error) from error

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """The vectors [d] of those `keys` that are in the cache, intact; none if the file is damaged."""
        try:
            return dict(intact(self._db, keys, self._bytes))
        except sqlite3.Error as error:
            self._begin_anew(error)
        return {}

    def put(self, vectors: Mapping[bytes, NDArray[np.float16]]) -> None:
        """Adds vectors durably."""
        try:
            self._add(vectors)
        except sqlite3.Error as error:
            self._begin_anew(error)
            self.put(vectors)

    def _add(self, vectors: Mapping[bytes, NDArray[np.float16]]) -> None:
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                ((key, sealed(key, vector.tobytes())) for key, vector in vectors.items()),
            )

    def _begin_anew(self, error: sqlite3.Error) -> None:
        self._db.close()
        try:
            self._db = _begun_anew(self._path, error)
        except (OSError, sqlite3.Error) as again:
            raise _refused(self._path, again) from again


def damaged_rows(path: Path) -> int:
    """The number of vectors in the cache whose checksum is wrong, 0 if there is no cache. They are not used,
    and are encoded again when they are needed. Raises DamagedError if the file is not a readable cache."""
    if not path.exists():
        return 0
    try:
        with contextlib.closing(_opened_to_read(path)) as db:
            rows = db.execute("SELECT key, code FROM vectors")
            return sum(not is_intact(bytes(key), bytes(code)) for key, code in rows)
    except (OSError, sqlite3.Error, TypeError) as error:
        raise DamagedError(f"the cache of vectors is damaged ({error})", path=path) from error


def cached(path: Path, keys: Sequence[bytes], dimensions: int) -> int:
    """The number of those `keys` whose vectors are in the cache, intact. Nothing is written; 0 if there is no
    cache, or none that can be read."""
    try:
        with contextlib.closing(_opened_to_read(path)) as db:
            return sum(1 for _ in intact(db, keys, 2 * dimensions))
    except (OSError, sqlite3.Error, TypeError):
        return 0


def cached_vectors(path: Path, keys: Sequence[bytes], dimensions: int) -> dict[bytes, NDArray[np.float16]]:
    """The vectors [d] of those `keys` that are in the cache, intact. Nothing is written; none if there is no
    cache, or none that can be read."""
    try:
        with contextlib.closing(_opened_to_read(path)) as db:
            return dict(intact(db, keys, 2 * dimensions))
    except (OSError, sqlite3.Error, TypeError):
        return {}


def _opened_to_read(path: Path) -> sqlite3.Connection:
    require_regular(path)
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_LOCK_TIMEOUT)


def intact(
    db: sqlite3.Connection, keys: Sequence[bytes], size: int
) -> Iterator[tuple[bytes, NDArray[np.float16]]]:
    """Yields those of the `keys` that a cache has, with their vectors of `size` bytes."""
    for start in range(0, len(keys), _FEW):
        some = keys[start : start + _FEW]
        marks = ",".join("?" * len(some))
        for key, code in db.execute(f"SELECT key, code FROM vectors WHERE key IN ({marks})", some):
            if len(code) == size + _SEAL and is_intact(key, code):
                yield key, np.frombuffer(code, dtype=np.float16, count=size // 2)


def sealed(key: bytes, vector: bytes) -> bytes:
    """A vector as a row has it: with the checksum of it and its key."""
    return vector + zlib.crc32(vector, zlib.crc32(key)).to_bytes(_SEAL, "little")


def is_intact(key: bytes, code: bytes) -> bool:
    return sealed(key, code[:-_SEAL]) == code


def _begun_anew(path: Path, error: sqlite3.Error) -> sqlite3.Connection:
    """An empty cache in place of a damaged one. Raises `error` unless it means that the file is damaged,
    since other processes may be using the file."""
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF not in _DAMAGED:
        raise error
    for leftover in path.parent.glob(f"{path.name}*"):
        leftover.unlink(missing_ok=True)
    return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_LOCK_TIMEOUT)
    try:
        db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, code BLOB) WITHOUT ROWID")
        db.execute("SELECT key, code FROM vectors LIMIT 1").fetchall()
    except BaseException:
        db.close()
        raise
    return db


def _refused(path: Path, error: Exception) -> StorageError:
    return StorageError(
        f"vectors cannot be saved: {error}",
        path=path,
        hint="check space and permissions; the library is whole",
    )
