"""Vectors in a file, by which machines that share nothing encode one library together.

A file is a SQLite database that is known by its application id. Its rows are those of the cache of a library
(`vector_cache`): a hash of text and encoder, the vector in half precision, and a checksum of both. One row of
facts says which encoder made them, which shard of the texts they are of, and how many there are. So only
vectors of equal texts by the same encoder are ever used, whatever the file is given to.

It is written under the name `FILE.unfinished`, of which the next run keeps every vector, and renamed when
all are there.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import require_regular, sync_folder
from citewhy.base.errors import DamagedError, InputError, StorageError
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.local.vector_cache import intact, is_intact, sealed

_APPLICATION = 0x43577666
"""Of the header of a SQLite file, in its bytes 68 to 71: "CWvf"."""

_SQLITE = b"SQLite format 3\x00"
_LAYOUT = 1
_SEAL = 4
_AGAIN = "make it again: citewhy encode"
_SUM = 1 << 62
"""The sum of all checksums is kept below this number, which SQLite can store."""

UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file of vectors says of itself. `shard` is its number, from 1, and how many there are."""

    encoder: str
    fingerprint: str
    dimensions: int
    shard: tuple[int, int]
    vectors: int = -1
    """Number of vectors; -1 until all are there."""
    sum: int = 0
    """Sum of the checksums of all rows."""
    layout: int = _LAYOUT
    type: str = "float16"
    length: int = 1
    """Length of each vector, but of those of texts without words."""


def facts_of(encoder: Encoder, shard: tuple[int, int]) -> Facts:
    """The facts of a file of an encoder's vectors that is begun."""
    return Facts(encoder.name, encoder.fingerprint, encoder.dimensions, shard)


def is_vector_file(path: Path) -> bool:
    """Whether a file is one of vectors, finished or not, by its header."""
    try:
        require_regular(path)
        with path.open("rb") as file:
            head = file.read(72)
    except (OSError, ValueError):
        return False
    return head.startswith(_SQLITE) and head[68:72] == _APPLICATION.to_bytes(4, "big")


class VectorWriter:
    """Writes the vectors of a shard to the file `out`; use as a context manager.

    What an earlier run with the same `facts` left unfinished is kept. Raises InputError if `out` exists, or
    if something else was begun in its place; StorageError if it cannot be written.
    """

    def __init__(self, out: Path, facts: Facts) -> None:
        if out.exists():
            raise InputError("it already exists", path=out, hint="name another file, or remove it")
        self._out, self._facts = out, facts
        self._aside = out.with_name(out.name + UNFINISHED)
        try:
            if self._aside.exists():
                require_regular(self._aside)
            try:
                self._db = self._begun()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):  # another process writes it
                    raise
                self._aside.unlink()  # damaged: begun again
                self._db = self._begun()
        except (OSError, sqlite3.Error) as error:
            raise _refused(self._aside, error) from error

    def _begun(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._aside, isolation_level=None)
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN EXCLUSIVE")
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute("CREATE TABLE IF NOT EXISTS facts (document BLOB)")
            db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, code BLOB) WITHOUT ROWID")
            rows = db.execute("SELECT document FROM facts").fetchall()
            if not rows:
                db.execute("INSERT INTO facts VALUES (?)", [orjson.dumps(asdict(self._facts))])
            elif _facts(rows, self._aside) != self._facts:
                raise InputError(
                    "another encoder or another shard was begun here",
                    path=self._aside,
                    hint="name another --out, or remove it",
                )
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def __enter__(self) -> VectorWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def missing(self, keys: Iterable[bytes]) -> list[bytes]:
        """Those of the `keys` that have no intact vector in the file yet, each once, in their order."""
        wanted = list(dict.fromkeys(keys))
        have = {key for key, _ in intact(self._db, wanted, 2 * self._facts.dimensions)}
        return [key for key in wanted if key not in have]

    def put(self, vectors: Mapping[bytes, NDArray[np.float16]]) -> None:
        """Adds vectors durably. Raises StorageError."""
        rows = [(key, sealed(key, vector.tobytes())) for key, vector in vectors.items()]
        try:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise _refused(self._aside, error) from error

    def finish(self) -> int:
        """All vectors are there: the file gets its name. Returns their number. Raises StorageError."""
        try:
            count, total = _summed(self._db, self._aside, self._facts.dimensions)
            whole = orjson.dumps(asdict(self._facts) | {"vectors": count, "sum": total})
            self._db.execute("UPDATE facts SET document = ?", [whole])
            self._db.close()
            self._aside.replace(self._out)
            sync_folder(self._out.parent)
        except (OSError, sqlite3.Error) as error:
            raise _refused(self._out, error) from error
        return count


class VectorFile:
    """The vectors of a finished file, which is checked whole; use as a context manager.

    Raises InputError for a file that is not one, or is unfinished, or whose vectors are not those of
    `encoder`; DamagedError for one that is not as it was written.
    """

    def __init__(self, path: Path, encoder: Encoder) -> None:
        if not is_vector_file(path):
            raise InputError("this is no file of vectors", path=path, hint="expected one of `citewhy encode`")
        self.path = path
        try:
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise _damaged(path, str(error)) from error
        try:
            self._check(encoder)
        except BaseException:
            self._db.close()
            raise

    def _check(self, encoder: Encoder) -> None:
        try:
            self.facts = facts = _facts(self._db.execute("SELECT document FROM facts").fetchall(), self.path)
            if facts.fingerprint != encoder.fingerprint or facts.dimensions != encoder.dimensions:
                raise InputError(
                    f"these are vectors of the encoder {facts.encoder} ({facts.fingerprint}), expected those "
                    f"of {encoder.name} ({encoder.fingerprint})",
                    path=self.path,
                    hint="name its folder with --encoder, or encode again with this encoder",
                )
            if facts.vectors < 0:
                raise InputError(
                    f"shard {facts.shard[0]} of {facts.shard[1]} is unfinished",
                    path=self.path,
                    hint="finish it: give the same `citewhy encode` again",
                )
            count, total = _summed(self._db, self.path, facts.dimensions)
        except sqlite3.Error as error:
            raise _damaged(self.path, str(error)) from error
        if (count, total) != (facts.vectors, facts.sum):
            raise _damaged(self.path, f"{count:,} vectors, expected {facts.vectors:,} as they were written")

    def __enter__(self) -> VectorFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """The vectors [d] of those `keys` that are in the file."""
        try:
            return dict(intact(self._db, keys, 2 * self.facts.dimensions))
        except sqlite3.Error as error:
            raise _damaged(self.path, str(error)) from error


def _summed(db: sqlite3.Connection, path: Path, dimensions: int) -> tuple[int, int]:
    """The number of vectors, and the sum of their checksums. Raises DamagedError for one that was altered."""
    count = total = 0
    for key, code in db.execute("SELECT key, code FROM vectors"):
        whole = isinstance(key, bytes) and isinstance(code, bytes) and len(code) == 2 * dimensions + _SEAL
        if not (whole and is_intact(key, code)):
            raise _damaged(path, "a vector was altered")
        count += 1
        total = (total + int.from_bytes(code[-_SEAL:], "little")) % _SUM
    return count, total


def _facts(rows: Sequence[tuple[bytes]], path: Path) -> Facts:
    with contextlib.suppress(ValueError, TypeError, KeyError, IndexError):
        document: dict[str, Any] = orjson.loads(rows[0][0])
        if document["layout"] != _LAYOUT:
            raise InputError(
                f"vectors in layout {document['layout']!r}, expected {_LAYOUT}",
                path=path,
                hint="update citewhy",
            )
        one, of = map(int, document.pop("shard"))
        return Facts(**document, shard=(one, of))
    raise _damaged(path, "it does not say what it holds")


def _damaged(path: Path, why: str) -> DamagedError:
    return DamagedError(f"the file of vectors is damaged ({why})", path=path, hint=_AGAIN)


def _refused(path: Path, error: Exception) -> StorageError:
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    hint = "check space and permissions, and that no other process writes it"
    return StorageError(f"vectors cannot be written: {why}", path=path, hint=hint)
