"""Zotero's database, as it lies on a disk: open in Zotero, in the middle of a change, damaged, hostile."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import read

SCHEMA = (Path(__file__).parent / "samples" / "zotero.sql").read_text(encoding="utf-8")


def database(folder: Path, more: str = "") -> Path:
    path = folder / "zotero.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA + more)
    connection.close()
    return path


def titles(path: Path) -> list[str]:
    return [record.title for record in read(path, ImportReport()) if isinstance(record, Paper)]


def test_zotero_may_have_it_open(tmp_path: Path) -> None:
    """Zotero keeps its database locked; it is read all the same, and nothing in its folder changes."""
    path = database(tmp_path)
    before = path.read_bytes()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    assert len(titles(path)) == 2
    assert (path.read_bytes(), [file.name for file in tmp_path.iterdir()]) == (before, ["zotero.sqlite"])
    holder.close()


def test_a_change_that_is_half_done_is_not_seen(tmp_path: Path) -> None:
    """The journal is copied too, so that what Zotero has written and not committed is taken back."""
    path = database(tmp_path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA cache_size = 1")
    holder.execute("PRAGMA cache_spill = 1")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("UPDATE itemDataValues SET value = value || ' (changed)'")
    holder.executemany(
        "INSERT INTO itemDataValues VALUES (?, ?)",
        [(number, f"{number}" * 200) for number in range(100, 400)],
    )
    assert path.with_name("zotero.sqlite-journal").stat().st_size > 0
    assert titles(path)[0] == "Moss on Northern Walls: A Survey of Shade"
    holder.close()


def test_what_is_in_the_log_is_seen(tmp_path: Path) -> None:
    """A database with a write-ahead log has its last changes there."""
    path = database(tmp_path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode = WAL")
    holder.execute("UPDATE itemDataValues SET value = 'Ferns' WHERE valueID = 1")
    assert path.with_name("zotero.sqlite-wal").stat().st_size > 0
    assert titles(path)[0] == "Ferns"
    holder.close()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("DROP TABLE creators;", "no table 'creators'"),
        ("DROP TABLE items; CREATE VIEW items AS SELECT 1 AS itemID;", "no table 'items'"),
        ("DROP TABLE fields; CREATE TABLE fields (x);", "cannot be read"),
        (
            "DROP TABLE creators; CREATE TABLE creators (creatorID, firstName, lastName, fieldMode);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)"
            " INSERT INTO creators SELECT 1, 'A', 'B', 0 FROM n;"
            "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 4000)"
            " INSERT INTO items (itemID, itemTypeID, libraryID, key) SELECT i, 22, 1, 'K' || i FROM n;"
            "INSERT INTO itemCreators SELECT itemID, 1, 8, 0 FROM items WHERE itemID >= 100;",
            "interrupted",
        ),
    ],
)
def test_another_database_is_refused(tmp_path: Path, more: str, why: str) -> None:
    """Views are not asked, missing tables named, and joins that never end are stopped."""
    with pytest.raises(InputError, match=why):
        titles(database(tmp_path, more))


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    """Cut or overwritten, it is an error of one line."""
    path = database(tmp_path)
    whole = path.read_bytes()
    for data in (whole[:5000], whole[:4096] + b"\xff" * (len(whole) - 4096), whole[:16]):
        path.write_bytes(data)
        with pytest.raises(InputError):
            titles(path)


def test_a_large_library_is_within_the_bounds(tmp_path: Path) -> None:
    """Thousands of items with all their fields take a small part of the work that is allowed."""
    more = (
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"
        " INSERT INTO items (itemID, itemTypeID, libraryID, key) SELECT i, 22, 1, 'K' || i FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 20)"
        " INSERT INTO fields SELECT i, 'field' || i, NULL FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"
        " INSERT INTO itemDataValues SELECT i, 'Title ' || i FROM n;"
        "INSERT INTO itemData SELECT itemID, 1, itemID FROM items WHERE itemID >= 100;"
        "INSERT INTO itemData SELECT itemID, fieldID, 3 FROM items, fields"
        " WHERE itemID >= 100 AND fieldID >= 100;"
        "INSERT INTO itemCreators SELECT itemID, 1, 8, 0 FROM items WHERE itemID >= 100;"
    )
    report = ImportReport()
    assert sum(1 for _ in read(database(tmp_path, more), report)) == 5002
    assert report.not_kept["Zotero database"]["field119"] == 5000
