"""Tables with checksums.

SQLite detects inconsistent pages, but it has no checksums: a flipped bit inside a value goes unnoticed. So
every row has a seal, a checksum of its values that is verified at every read, and for every table the number
of rows and the sum of their seals are stored, which reveal missing rows. Indexes have neither: before a row
is reported as not found, every row of the table is looked up in the index, once per `Database`.

A table of a `LayeredDatabase` has the rows of the database below, without those that were deleted or replaced
above, and its own rows. Only its own are ever written.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import operator
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from citewhy.papers.library.database import Database

__all__ = ["HIDDEN", "SUMS_TABLE", "Index", "LayeredDatabase", "Table", "pieces", "seal"]

Row = TypeVar("Row", bound=tuple[Any, ...])
Item = TypeVar("Item")

SUMS_TABLE = 'CREATE TABLE sums (name TEXT PRIMARY KEY, "rows" INTEGER NOT NULL, total INTEGER NOT NULL)'

_KEYS_A_QUERY = 500


def seal(salt: int, values: Iterable[object]) -> int:
    """CRC-32 of a row's values. It detects corruption, but not forgery.

    `salt` differs between tables, to detect pages that are read as part of another table.
    """
    # 12, "12" and b"12" differ: a flipped bit can turn one into another.
    typed = [
        b"s" + value.encode()
        if type(value) is str
        else b"b" + value
        if type(value) is bytes
        else str(value).encode()
        for value in values
    ]
    return zlib.crc32(b"\x1f".join(typed), salt)


def pieces(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """`items` in lists of `size`; the last one may be shorter."""
    iterator = iter(items)
    while piece := list(itertools.islice(iterator, size)):
        yield piece


class LayeredDatabase(Database):
    """A SQLite file whose rows stand before those of another database, `below`, which is only read.

    Its own rows are numbered from those that the other gave when the layer was made; what has such numbers
    below was added there later, and is not seen. Closing it leaves the database below open.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], path: Path, below: Database) -> None:
        super().__init__(connect, path)
        self.below = below
        self.made_over = 0
        """The generation of the database below, when the layer was made."""
        self.first_numbers: Mapping[str, int] = {}
        """By table, the number from which its own rows are numbered; of others, all rows below are seen."""
        self._hidden: dict[str, set[tuple[Any, ...]]] | None = None

    def hidden(self, table: str) -> set[tuple[Any, ...]]:
        """The keys of the rows below that are deleted or replaced."""
        if self._hidden is None:
            self._hidden = defaultdict(set)
            for name, key in HIDDEN.own_rows(self):
                self._hidden[name].add(tuple(json.loads(key)))
        return self._hidden[table]

    def hide(self, table: str, keys: Iterable[tuple[Any, ...]]) -> None:
        """Hides rows below. Those that are hidden already may be among them."""
        hidden = self.hidden(table)
        new = set(keys) - hidden
        HIDDEN.insert(self, (Hidden(table, json.dumps(key)) for key in sorted(new)))
        hidden.update(new)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All reads in the block see the same state, also of the database below."""
        with self.below.reading(), super().reading():
            yield

    @contextlib.contextmanager
    def writing(self, *, keep: bool = True) -> Iterator[None]:
        """As `Database.writing`. After an error, what the block hid stays hidden in memory: the layer has to
        be opened again."""
        with self.below.reading(), super().writing(keep=keep):
            yield


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
        self._row: Callable[[Iterable[Any]], Row] = partial(tuple.__new__, row)
        columns: tuple[str, ...] = row._fields  # type: ignore[attr-defined]
        self._definition = definition
        self._indexes = {f"{name}_{index.columns[0]}": index for index in indexes}
        self._sure = sure
        self._unique = {index.columns[0] for index in indexes if index.unique and len(index.columns) == 1}
        self._columns = ", ".join(columns)
        marks = ", ".join("?" * (len(columns) + 1))
        self._insert = f"INSERT INTO {name} ({self._columns}, seal) VALUES ({marks})"
        same = " AND ".join(f"{column} = ?" for column in key)
        self._delete_key = f"DELETE FROM {name} WHERE {same}"
        self._exists = f"SELECT 1 FROM {name} WHERE {same}"
        self._positions = {column: position for position, column in enumerate(columns)}
        self._key_positions = [self._positions[column] for column in key]
        self._order: Callable[[Row], Any] = operator.itemgetter(*self._key_positions)
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
        self.remove(db, map(self._key_of, new))
        self.insert(db, new)

    def remove(self, db: Database, keys: Iterable[tuple[Any, ...]]) -> None:
        """Deletes the rows with these keys, of which some may not exist."""
        some = list(keys)
        db.run_many(self._delete_key, some)
        if isinstance(db, LayeredDatabase):
            db.hide(self.name, (key for key in some if self._has(db.below, key)))

    def delete(self, db: Database, column: str, values: Iterable[object]) -> None:
        """Deletes the rows with one of the `values` in `column`."""
        some = list(values)
        if isinstance(db, LayeredDatabase):
            below = self._of_below(db, self._seen(db.below, column, some))
            db.hide(self.name, [self._key_of(row) for row in below])
        db.run_many(f"DELETE FROM {self.name} WHERE {column} = ?", ((value,) for value in some))

    def where(
        self, db: Database, column: str, values: Iterable[object], condition: str = "1"
    ) -> Iterator[Row]:
        """Rows with one of the (distinct) `values` in `column` that satisfy the condition, in any order."""
        asked, seen = list(values), 0
        for row in self._seen(db, column, asked, condition):
            seen += 1
            yield row
        if column in self._sure and (seen < len(asked) or column not in self._unique):
            self.verify_lookups(db, column)

    def among(self, db: Database, column: str, values: Iterable[object]) -> list[Row]:
        """The rows, of a layer its own, with one of any number of (distinct) `values` in `column`, after
        verifying that none is missing. The whole table is read, and no index."""
        self._verify_own(db)
        db.run("CREATE TEMP TABLE IF NOT EXISTS asked (value PRIMARY KEY) WITHOUT ROWID")
        db.run("DELETE FROM temp.asked")
        db.run_many("INSERT INTO temp.asked VALUES (?)", ((value,) for value in values))
        sql = f"{self._select} WHERE +{column} IN (SELECT value FROM temp.asked)"
        return list(self._verified(db, db.rows(sql)))

    def known(
        self,
        db: Database,
        column: str,
        values: Iterable[object],
        condition: str = "1",
        *,
        sure: bool = True,
    ) -> set[object]:
        """Those of the (distinct) `values` that a row which satisfies the condition has in `column`, mostly
        by an index alone. If not `sure`, the index is trusted."""
        asked = list(values)
        if isinstance(db, LayeredDatabase):
            position = self._positions[column]
            return {row[position] for row in self.where(db, column, asked, condition)}
        known: set[object] = set()
        for some in pieces(asked, _KEYS_A_QUERY):
            marks = ", ".join("?" * len(some))
            sql = f"SELECT {column} FROM {self.name} WHERE {column} IN ({marks}) AND {condition}"
            known.update(value for (value,) in db.rows(sql, some))
        if sure and column in self._sure and len(known) < len(asked):
            self.verify_lookups(db, column)
        return known

    def numbered_from(self, db: Database, number: int, condition: str = "1") -> Iterator[Row]:
        """The rows with numbers from `number` on, of a layer its own, in order. They are read in pieces:
        rows may be written meanwhile."""
        sql = f"{self._select} WHERE {self._key} >= ? AND {condition} ORDER BY {self._key} LIMIT ?"
        while some := list(self._verified(db, db.rows(sql, [number, _KEYS_A_QUERY]))):
            yield from some
            number = some[-1][0] + 1

    def shared(self, db: Database, column: str, since: int, updated: Iterable[object]) -> list[object]:
        """The values of `column` that a row shares with another one, if its number is at least `since`, or
        among the `updated` ones."""
        own = f"SELECT DISTINCT a.{column} FROM {self.name} a WHERE a.{column} IS NOT NULL AND {{which}} "
        if not isinstance(db, LayeredDatabase):
            own += (
                f"AND EXISTS (SELECT 1 FROM {self.name} b WHERE b.{column} = a.{column} "
                "AND b.number <> a.number)"
            )
        rows = list(db.rows(own.format(which="a.number >= ?"), [since]))
        for some in pieces(updated, _KEYS_A_QUERY):
            marks = ", ".join("?" * len(some))
            rows += db.rows(own.format(which=f"a.number IN ({marks})"), some)
        values = list(dict.fromkeys(value for (value,) in rows))
        if isinstance(db, LayeredDatabase):
            position = self._positions[column]
            times = Counter(row[position] for row in self.where(db, column, values))
            values = [value for value in values if times[value] > 1]
        return values

    def all(self, db: Database, condition: str = "1", values: Sequence[object] = ()) -> Iterator[Row]:
        """Rows in the order of their keys, after verifying that no row of the table is missing."""
        self._verify(db)
        return self._ordered(db, condition, values)

    def may_have_rows(self, db: Database) -> bool:
        """Whether there is a row; of a layer, also whether there was one below."""
        return db.row(f"SELECT 1 FROM {self.name} LIMIT 1") is not None or (
            isinstance(db, LayeredDatabase) and self.may_have_rows(db.below)
        )

    def count(self, db: Database, condition: str = "1") -> int:
        """The number of rows that satisfy the condition."""
        counted = db.row(f"SELECT count(*) FROM {self.name} WHERE {condition}")
        own = 0 if counted is None else int(counted[0])
        if not isinstance(db, LayeredDatabase):
            return own
        hidden = sum(self._has(db.below, key, condition) for key in db.hidden(self.name))
        return own + self.count(db.below, condition) - hidden

    def own_rows(self, db: Database) -> Iterator[Row]:
        """The rows in the order of their keys, without those of a database below, after verifying that none
        is missing."""
        self._verify_own(db)
        return self._own_ordered(db, "1", ())

    def _key_of(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[position] for position in self._key_positions)

    def _of_below(self, db: LayeredDatabase, rows: Iterable[Row]) -> Iterator[Row]:
        """Those of the rows below that are seen from above. What was numbered below after the layer was made
        has numbers of its rows."""
        hidden = db.hidden(self.name)
        first = db.first_numbers.get(self.name)
        for row in rows:
            key = self._key_of(row)
            if key not in hidden and (first is None or key[0] < first):
                yield row

    def _has(self, db: Database, key: tuple[Any, ...], condition: str = "1") -> bool:
        """Whether there is a row with a key that satisfies the condition."""
        if db.row(f"{self._exists} AND {condition}", key) is not None:
            return True
        if not isinstance(db, LayeredDatabase) or key in db.hidden(self.name):
            return False
        return self._has(db.below, key, condition)

    def _seen(
        self, db: Database, column: str, values: Sequence[object], condition: str = "1"
    ) -> Iterator[Row]:
        if isinstance(db, LayeredDatabase):
            yield from self._of_below(db, self._seen(db.below, column, values, condition))
        position = self._positions[column]
        for some in pieces(values, _KEYS_A_QUERY):
            wanted = set(some)
            marks = ", ".join("?" * len(some))
            sql = f"{self._select} WHERE {column} IN ({marks}) AND {condition}"
            for row in self._verified(db, db.rows(sql, some)):
                if row[position] not in wanted:
                    raise db.damaged(f"an index of table {self.name} is inconsistent")
                yield row

    def _ordered(self, db: Database, condition: str, values: Sequence[object]) -> Iterator[Row]:
        own = self._own_ordered(db, condition, values)
        if not isinstance(db, LayeredDatabase):
            return own
        below = self._of_below(db, self._ordered(db.below, condition, values))
        return heapq.merge(below, own, key=self._key_of)

    def _own_ordered(self, db: Database, condition: str, values: Sequence[object]) -> Iterator[Row]:
        rows = db.rows(f"{self._select} WHERE {condition} ORDER BY {self._key}", values)
        previous: Any = None
        for row in self._verified(db, rows):
            key = self._order(row)
            if previous is not None and key <= previous:  # SQLite trusts the order of its pages
                raise db.damaged(f"rows of table {self.name} are out of order")
            previous = key
            yield row

    def verify_complete(self, db: Database) -> int:
        """The number of rows. Raises DamagedError if rows are missing or were added by other means."""
        if not isinstance(db, LayeredDatabase):
            return self._verify_own(db)
        self._verify(db)
        return self.count(db)

    def _verify(self, db: Database) -> None:
        """Raises as `verify_complete`."""
        if isinstance(db, LayeredDatabase):
            self._verify(db.below)
        self._verify_own(db)

    def _verify_own(self, db: Database) -> int:
        expected = db.row('SELECT "rows", total FROM sums WHERE name = ?', (self.name,))
        actual = db.row(f"SELECT count(*), coalesce(sum(seal), 0) FROM {self.name} NOT INDEXED")
        if actual is None or actual != expected:
            raise db.damaged(f"rows of table {self.name} are missing")
        return int(actual[0])

    def verify_lookups(self, db: Database, column: str) -> None:
        """Raises DamagedError if a row cannot be found by `column`. Reads the table once per `Database`."""
        if isinstance(db, LayeredDatabase):
            self.verify_lookups(db.below, column)
        if (self.name, column) in db.verified:
            return
        self._verify_own(db)
        name = f"{self.name}_{column}"
        index = self._indexes.get(name)
        rows = index.condition if index and index.condition else "1"
        same = " AND ".join(
            f"b.{part} = a.{part}" for part in dict.fromkeys((column, *self._key.split(", ")))
        )
        lost = db.row(
            f"SELECT 1 FROM {self.name} AS a NOT INDEXED WHERE {rows} AND NOT EXISTS (SELECT 1 "
            f"FROM {self.name} AS b {f'INDEXED BY {name}' if index else ''} WHERE {same}) LIMIT 1"
        )
        if lost is not None:
            raise db.damaged(f"a row of table {self.name} is missing from an index")
        db.verified.add((self.name, column))

    def _verified(self, db: Database, rows: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
        salt, made = self._salt, self._row
        for row in rows:
            values = row[:-1]
            if seal(salt, values) != row[-1]:
                raise db.damaged(f"a row of table {self.name} fails its checksum")
            yield made(values)


class Hidden(NamedTuple):
    """A row of the database below that is deleted, or replaced by one of the layer."""

    name: str
    """Of its table."""
    key: str
    """As JSON."""


HIDDEN = Table(
    "hidden",
    Hidden,
    ["name", "key"],
    "(name TEXT NOT NULL, key TEXT NOT NULL, seal INTEGER NOT NULL, PRIMARY KEY (name, key)) WITHOUT ROWID",
)
