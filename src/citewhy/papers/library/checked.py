"""Tables with checksums.

SQLite detects inconsistent pages, but it has no checksums: a flipped bit inside a value goes unnoticed. So
every row has a seal, a checksum of its values that is verified at every read, and for every table the number
of rows and the sum of their seals are stored, which reveal missing rows. Indexes have neither: before a row
is reported as not found, every row of the table is looked up in the index, once per `Database`.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from citewhy.papers.library.database import Database

__all__ = ["SUMS_TABLE", "Index", "Table", "pieces", "seal"]

Row = TypeVar("Row", bound=tuple[Any, ...])
Item = TypeVar("Item")

SUMS_TABLE = 'CREATE TABLE sums (name TEXT PRIMARY KEY, "rows" INTEGER NOT NULL, total INTEGER NOT NULL)'

_KEYS_A_QUERY = 500


def seal(salt: int, values: Iterable[object]) -> int:
    """CRC-32 of a row's values. It detects corruption, but not forgery.

    `salt` differs between tables, to detect pages that are read as part of another table.
    """
    return zlib.crc32(b"\x1f".join(map(_typed_bytes, values)), salt)


def _typed_bytes(value: object) -> bytes:
    """Distinguishes 12, "12" and b"12": a flipped bit can turn one into another."""
    if type(value) is str:
        return b"s" + value.encode()
    return b"b" + value if type(value) is bytes else str(value).encode()


def pieces(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """`items` in lists of `size`; the last one may be shorter."""
    iterator = iter(items)
    while piece := list(itertools.islice(iterator, size)):
        yield piece


class Index(NamedTuple):
    """An index on `columns` for the rows that satisfy `condition`."""

    columns: tuple[str, ...]
    condition: str = ""
    unique: bool = False


class Table(Generic[Row]):
    """A table of named tuples, whose checksums are written with every row and verified at every read.

    `key` are the columns of the primary key; `sure` are columns in which a failed lookup must be reliable. A
    row that fails its checksum raises DamagedError.
    """

    def __init__(
        self,
        name: str,
        row: type[Row],
        key: Sequence[str],
        definition: str,
        indexes: Sequence[Index] = (),
        sure: Sequence[str] = (),
    ) -> None:
        self.name = name
        self._salt = zlib.crc32(name.encode())
        self._row: Callable[..., Row] = row
        columns: tuple[str, ...] = row._fields  # type: ignore[attr-defined]
        self._definition = definition
        self._indexes = {f"{name}_{index.columns[0]}": index for index in indexes}
        self._sure = sure
        self._unique = {index.columns[0] for index in indexes if index.unique and len(index.columns) == 1}
        self._columns = ", ".join(columns)
        marks = ", ".join("?" * (len(columns) + 1))
        self._insert = f"INSERT INTO {name} ({self._columns}, seal) VALUES ({marks})"
        self._delete_key = f"DELETE FROM {name} WHERE " + " AND ".join(f"{column} = ?" for column in key)
        self._positions = {column: position for position, column in enumerate(columns)}
        self._key_positions = [self._positions[column] for column in key]
        self._select = f"SELECT {self._columns}, seal FROM {name}"
        self._key = ", ".join(key)

    def create(self, db: Database) -> None:
        """Creates the table, its indexes, and a trigger that updates the sums when rows are deleted."""
        db.run(f"CREATE TABLE {self.name} {self._definition}")
        for name, index in self._indexes.items():
            unique = "UNIQUE " if index.unique else ""
            condition = f" WHERE {index.condition}" if index.condition else ""
            db.run(f"CREATE {unique}INDEX {name} ON {self.name} ({', '.join(index.columns)}){condition}")
        db.run("INSERT INTO sums VALUES (?, 0, 0)", (self.name,))
        db.run(
            f"CREATE TRIGGER {self.name}_delete AFTER DELETE ON {self.name} BEGIN "
            f'UPDATE sums SET "rows" = "rows" - 1, total = total - old.seal '
            f"WHERE name = '{self.name}'; END"
        )

    def insert(self, db: Database, rows: Iterable[Row]) -> None:
        sealed = [(*row, seal(self._salt, row)) for row in rows]
        if sealed:
            db.run_many(self._insert, sealed)
            # Not by a trigger, as for deleted rows, which would double the time.
            total = sum(row[-1] for row in sealed)
            db.run(
                'UPDATE sums SET "rows" = "rows" + ?, total = total + ? WHERE name = ?',
                (len(sealed), total, self.name),
            )

    def put(self, db: Database, rows: Iterable[Row]) -> None:
        """Inserts rows, replacing those with the same key."""
        new = list(rows)
        db.run_many(self._delete_key, ([row[position] for position in self._key_positions] for row in new))
        self.insert(db, new)

    def delete(self, db: Database, column: str, values: Iterable[object]) -> None:
        db.run_many(f"DELETE FROM {self.name} WHERE {column} = ?", ((value,) for value in values))

    def where(
        self, db: Database, column: str, values: Iterable[object], condition: str = "1"
    ) -> Iterator[Row]:
        """Rows with one of the (distinct) `values` in `column` that satisfy the condition, in any order."""
        found = asked = 0
        position = self._positions[column]
        for some in pieces(values, _KEYS_A_QUERY):
            asked += len(some)
            wanted = set(some)
            marks = ", ".join("?" * len(some))
            sql = f"{self._select} WHERE {column} IN ({marks}) AND {condition}"
            for row in self._verified(db, db.rows(sql, some)):
                if row[position] not in wanted:
                    raise db.damaged(f"an index of table {self.name} is inconsistent")
                found += 1
                yield row
        if column in self._sure and (found < asked or column not in self._unique):
            self.verify_lookups(db, column)

    def all(self, db: Database, condition: str = "1", values: Sequence[object] = ()) -> Iterator[Row]:
        """Rows in the order of their keys, after verifying that no row of the table is missing."""
        self.verify_complete(db)
        rows = db.rows(f"{self._select} WHERE {condition} ORDER BY {self._key}", values)
        previous: list[Any] = []
        for row in self._verified(db, rows):
            key = [row[position] for position in self._key_positions]
            if key <= previous:  # SQLite trusts the order of its pages
                raise db.damaged(f"rows of table {self.name} are out of order")
            previous = key
            yield row

    def verify_complete(self, db: Database) -> int:
        """The number of rows. Raises DamagedError if rows are missing or were added by other means."""
        expected = db.row('SELECT "rows", total FROM sums WHERE name = ?', (self.name,))
        found = db.row(f"SELECT count(*), coalesce(sum(seal), 0) FROM {self.name} NOT INDEXED")
        if found is None or found != expected:
            raise db.damaged(f"rows of table {self.name} are missing")
        return int(found[0])

    def verify_lookups(self, db: Database, column: str) -> None:
        """Raises DamagedError if a row cannot be found by `column`. Reads the table once per `Database`."""
        if (self.name, column) in db.verified:
            return
        self.verify_complete(db)
        name = f"{self.name}_{column}"
        index = self._indexes.get(name)
        rows = index.condition if index and index.condition else "1"
        same = " AND ".join(
            f"b.{each} = a.{each}" for each in dict.fromkeys((column, *self._key.split(", ")))
        )
        lost = db.row(
            f"SELECT 1 FROM {self.name} AS a NOT INDEXED WHERE {rows} AND NOT EXISTS (SELECT 1 "
            f"FROM {self.name} AS b {f'INDEXED BY {name}' if index else ''} WHERE {same}) LIMIT 1"
        )
        if lost is not None:
            raise db.damaged(f"a row of table {self.name} is missing from an index")
        db.verified.add((self.name, column))

    def _verified(self, db: Database, found: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
        for *values, expected in found:
            if seal(self._salt, values) != expected:
                raise db.damaged(f"a row of table {self.name} fails its checksum")
            yield self._row(*values)
