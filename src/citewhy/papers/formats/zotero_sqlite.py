"""Zotero's own database. A copy of it is read, since Zotero keeps the original locked; the original is never
written to."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.fields import MadeIds, Seen
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.zotero_items import NOT_ITEMS, paper_of
from citewhy.text.source import FilePath, open_blocks

__all__ = ["NAME", "read"]

NAME = "Zotero database"

_TABLES = (
    "items",
    "itemTypes",
    "itemData",
    "itemDataValues",
    "fields",
    "creators",
    "itemCreators",
    "creatorTypes",
)
_ALSO = ("deletedItems", "feedItems", "libraries", "citationkey")
_STEPS = 10_000
"""Instructions of SQLite between two checks of the limit."""

_STEPS_A_BYTE = 5
_LEAST_STEPS = 10_000_000
"""Minimum of the limit; a library of thousands of items needs a tenth of it."""

_MOST_ROWS = 100_000
"""Fields, and creators, of `_ROWS_AT_ONCE` items."""

_ROWS_AT_ONCE = 500


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """All items of all libraries, except deleted items, feeds, attachments and notes."""
    with tempfile.TemporaryDirectory(prefix="citewhy-") as folder:
        copy = _copied(Path(path), Path(folder))
        connection = sqlite3.connect(copy)
        try:
            yield from _read(connection, copy.stat().st_size, path, report)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # also of names that are no text
            raise InputError(
                f"the database cannot be read ({error})", path=path, hint="is it Zotero's zotero.sqlite?"
            ) from error
        finally:
            connection.close()


def _copied(path: Path, folder: Path) -> Path:
    """A copy of the database with its journal, without which recent changes would be missing or
    incomplete."""
    copy = folder / "zotero.sqlite"
    with copy.open("wb") as file:
        for block in open_blocks(path):
            file.write(block)
    for suffix in ("-journal", "-wal"):
        beside = path.with_name(path.name + suffix)
        if beside.is_file():
            shutil.copyfile(beside, copy.with_name(copy.name + suffix))
    return copy


def _read(connection: sqlite3.Connection, size: int, path: FilePath, report: ImportReport) -> Iterator[Paper]:
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    left = [max(_LEAST_STEPS, size * _STEPS_A_BYTE) // _STEPS]

    def stop() -> bool:  # a database may contain a view that never ends
        left[0] -= 1
        return left[0] < 0

    connection.set_progress_handler(stop, _STEPS)
    tables = _tables(connection)
    if missing := [table for table in _TABLES if table not in tables]:
        raise InputError(
            f"the database has no table {missing[0]!r}", path=path, hint="expected Zotero's zotero.sqlite"
        )
    seen, made = Seen(path, report), MadeIds()

    def warn(why: str) -> None:
        report.warn(path, None, why)

    for values in _items(connection, tables, report):
        row = Row(values)
        try:
            paper = paper_of(row, warn, made)
        except InputError as error:
            report.skip(path, None, str(error))
            continue
        report.leave(NAME, row.not_kept())
        if placed := seen.placed(paper, None):
            yield placed


def _tables(connection: sqlite3.Connection) -> set[str]:
    """Ordinary tables only: views and virtual tables could run arbitrary code."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(substr(sql, 1, 12)) = 'CREATE TABLE'"
    )
    return {name for (name,) in found if name in (*_TABLES, *_ALSO)}


def _items(
    connection: sqlite3.Connection, tables: set[str], report: ImportReport
) -> Iterator[dict[str, Any]]:
    hidden = "".join(
        f" AND itemID NOT IN (SELECT itemID FROM {table})"
        for table in ("deletedItems", "feedItems")
        if table in tables
    )
    (every,) = connection.execute("SELECT count(*) FROM items").fetchone()
    (kept,) = connection.execute(f"SELECT count(*) FROM items WHERE 1{hidden}").fetchone()
    if every > kept:
        report.leave(NAME, ["(deleted items and feeds)"], every - kept)
    items = connection.execute(
        f"""SELECT itemID, key, typeName FROM items JOIN itemTypes USING (itemTypeID)
            WHERE 1{hidden} ORDER BY itemID"""
    )
    while rows := items.fetchmany(_ROWS_AT_ONCE):
        yield from _with_values(connection, rows, tables, report)


def _with_values(
    connection: sqlite3.Connection, rows: list[tuple[Any, ...]], tables: set[str], report: ImportReport
) -> Iterator[dict[str, Any]]:
    ids = [row[0] for row in rows]
    marks = ",".join("?" * len(ids))
    values: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for item, field, value in connection.execute(
        f"""SELECT itemID, fieldName, value FROM itemData JOIN fields USING (fieldID)
            JOIN itemDataValues USING (valueID) WHERE itemID IN ({marks}) LIMIT {_MOST_ROWS}""",
        ids,
    ):
        values[item][str(field)] = value if isinstance(value, str | int) else str(value)
    creators: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for item, role, first, last in connection.execute(
        f"""SELECT itemID, creatorType, firstName, lastName FROM itemCreators JOIN creators USING (creatorID)
            JOIN creatorTypes USING (creatorTypeID) WHERE itemID IN ({marks}) ORDER BY itemID, orderIndex
            LIMIT {_MOST_ROWS}""",
        ids,
    ):
        creators[item].append({"creatorType": role, "firstName": first, "lastName": last})
    for item, key, kind in rows:
        if kind in NOT_ITEMS:
            report.leave(NAME, [f"({kind}s)"])
            continue
        yield {"itemType": kind, "itemKey": key, **values[item], "creators": creators[item]}
